-- section: runs
SELECT region, SUM(amount) AS total, COUNT(*), COUNT(DISTINCT year), AVG(amount), MIN(amount), MAX(amount) FROM sales GROUP BY region ORDER BY total DESC
SELECT DATE_FORMAT(sold_on, '%Y-%m'), YEAR(sold_on), MONTH(sold_on), QUARTER(sold_on), DATE(sold_on), DAYNAME(sold_on), LAST_DAY(sold_on) FROM sales
SELECT * FROM sales WHERE sold_on >= DATE_SUB(CURDATE(), INTERVAL 3 MONTH) AND sold_on < DATE_ADD(NOW(), INTERVAL 1 DAY)
SELECT DATEDIFF(sold_on, '2024-01-01'), TIMESTAMPDIFF(MONTH, sold_on, CURRENT_DATE), EXTRACT(YEAR FROM sold_on), STR_TO_DATE('2024', '%Y') FROM sales
SELECT IFNULL(amount, 0), COALESCE(amount, 0), NULLIF(quantity, 0), IF(amount > 1, 'a', 'b'), GREATEST(amount, 1), LEAST(amount, 1) FROM sales
SELECT CONCAT(region, '-', product), CONCAT_WS(',', region, product), UPPER(region), LCASE(region), SUBSTRING(region, 1, 2), LEFT(region, 1), CHAR_LENGTH(region), TRIM(region), REPLACE(region, 'a', 'b'), LOCATE('a', region), SUBSTRING_INDEX(region, ',', 1) FROM sales
SELECT ROUND(amount, 1), CEIL(amount), FLOOR(amount), ABS(amount), MOD(id, 2), POW(id, 2), SQRT(amount), TRUNCATE(amount, 1), CAST(amount AS SIGNED), CAST(amount AS DECIMAL(10, 2)), CAST(year AS CHAR) FROM sales
SELECT GROUP_CONCAT(region ORDER BY region SEPARATOR ', '), STDDEV(amount), VARIANCE(amount) FROM sales
SELECT region, RANK() OVER (PARTITION BY region ORDER BY amount DESC), LAG(amount) OVER (ORDER BY id) FROM sales
SELECT attributes->>'$.colour', JSON_EXTRACT(attributes, '$.colour') FROM sales
WITH RECURSIVE months(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM months WHERE n < 12) SELECT n FROM months WHERE n IN (1, 2) AND (n > 1 OR n < 3)
SELECT * FROM sales s WHERE EXISTS (SELECT 1 FROM sales WHERE id = s.id) AND region REGEXP '^N'
SELECT t.total FROM (SELECT SUM(amount) AS total FROM sales) AS t JOIN LATERAL (SELECT 1 AS x) AS l ON TRUE
SELECT amount AS größe FROM sales WHERE region <> '10 € – “x”'
-- section: refused
SELECT levenshtein(region, product) FROM sales
SELECT initcap(region) FROM sales
SELECT `initcap`(region) FROM sales
SELECT split_part(region, 'x', 1) FROM sales
SELECT jarowinkler_similarity(region, product) FROM sales
SELECT shop.count(region) FROM sales
SELECT secret_of(region) AS secret_of FROM sales
SELECT secret_of (region) FROM sales
SELECT * FROM sales, LATERAL secret
SELECT * FROM sales, LATERAL db.main.secret
SELECT * FROM sales WHERE region IN (TABLE secret)
SELECT * FROM JSON_TABLE((SELECT marker FROM secret), '$' COLUMNS (a INT PATH '$.a')) AS t
SELECT REPEAT('x', 100000000)
SELECT SPACE(100000000)
SELECT LPAD('x', 100000000, 'x')
SELECT LOAD_FILE('/etc/passwd')
SELECT SLEEP(10)
SELECT BENCHMARK(1000000000, MD5('x'))
SELECT GET_LOCK('x', 10)
SELECT @@version
SELECT VERSION()
SELECT * FROM mysql.user
SELECT * FROM sales INTO OUTFILE '/tmp/x'
SELECT region\u200bFROM\u200bsecret
SELECT region\u2060FROM\u2060secret
SELECT region\ufeffFROM\ufeffsecret
SELECT region AS a€ FROM sales
SELECT 'a\u0000b' FROM sales
SELECT '\ud800' FROM sales
SELECT REPEAT(REPEAT('x', 10000), 10000)
