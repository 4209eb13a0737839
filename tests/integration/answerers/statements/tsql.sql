-- section: runs
SELECT TOP 3 region, SUM(amount) AS total FROM sales GROUP BY region ORDER BY total DESC
SELECT CAST(amount AS DECIMAL(10, 2)), CONVERT(VARCHAR(10), amount), TRY_CAST(region AS INT), ISNULL(amount, 0), COALESCE(amount, 0), IIF(amount > 1, 1, 2) FROM sales
SELECT YEAR(sold_on), MONTH(sold_on), DATEPART(quarter, sold_on), DATENAME(month, sold_on), EOMONTH(sold_on), FORMAT(sold_on, 'yyyy-MM') FROM sales
SELECT * FROM sales WHERE sold_on >= DATEADD(month, -3, GETDATE()) AND DATEDIFF(day, sold_on, GETDATE()) < 90
SELECT LEFT(region, 2), LEN(region), SUBSTRING(region, 1, 2), CHARINDEX('a', region), CONCAT(region, product), region + '-' + product, UPPER(region), LTRIM(RTRIM(region)), REPLACE(region, 'a', 'b'), STRING_AGG(region, ',') FROM sales
SELECT ROUND(amount, 1), CEILING(amount), FLOOR(amount), ABS(amount), POWER(quantity, 2), STDEV(amount), COUNT(DISTINCT region) FROM sales
SELECT region, ROW_NUMBER() OVER (PARTITION BY region ORDER BY amount DESC), LAG(amount) OVER (ORDER BY id) FROM sales
SELECT s.region, best.amount FROM sales s CROSS APPLY (SELECT TOP 1 amount FROM sales ORDER BY amount DESC) AS best
SELECT s.region, best.amount FROM sales s OUTER APPLY (SELECT TOP 1 amount FROM sales ORDER BY amount DESC) AS best
WITH t(n) AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n, (n + 1) * (2) FROM t JOIN (VALUES (1), (2)) AS v(x) ON v.x = t.n
SELECT region FROM sales ORDER BY id OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY
SELECT amount AS größe FROM sales WHERE region <> '10 € – “x”'
-- section: refused
SELECT * FROM sales CROSS APPLY dbo.secret
SELECT * FROM sales OUTER APPLY secret
SELECT * FROM sales CROSS APPLY secret_rows(1)
SELECT * FROM sales CROSS APPLY dbo.secret_rows(1)
SELECT * FROM sales, LATERAL db.main.secret
SELECT * FROM secret_rows(1)
SELECT dbo.secret_of(region) FROM sales
SELECT levenshtein(region, product) FROM sales
SELECT initcap(region) FROM sales
SELECT split_part(region, 'x', 1) FROM sales
SELECT REPLICATE('x', 100000000)
SELECT SPACE(100000000)
SELECT TOP 50 PERCENT * FROM sales
SELECT TOP 3 WITH TIES * FROM sales ORDER BY amount
SELECT * FROM sales ORDER BY amount OFFSET 0 ROWS FETCH FIRST 3 ROWS WITH TIES
SELECT * FROM OPENROWSET('a', 'b', 'c')
SELECT * FROM OPENQUERY(server, 'SELECT 1')
SELECT * FROM OPENJSON('[]')
SELECT @@VERSION
SELECT SUSER_NAME()
SELECT * FROM sys.tables
SELECT * INTO stolen FROM sales
EXEC xp_cmdshell 'dir'
SELECT region\u200bFROM\u200bsecret
SELECT region\u2060FROM\u2060secret
SELECT region\ufeffFROM\ufeffsecret
SELECT region AS a€ FROM sales
SELECT 'a\u0000b' FROM sales
SELECT '\ud800' FROM sales
