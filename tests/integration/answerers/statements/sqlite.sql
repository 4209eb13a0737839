-- section: setup
CREATE TABLE sales (id integer, region text, product text, year integer, sold_on text, amount real, quantity integer, customer_id integer, attributes text)
INSERT INTO sales VALUES (1, 'North', 'Bike', 2023, '2023-01-15', 1200.50, 2, 1, '{"colour": "red", "sizes": [1, 2]}'), (2, 'South', 'Bike', 2023, '2023-06-02', 900, 1, 2, '{"colour": "blue"}'), (3, 'North', 'Lamp', 2024, '2024-02-20', 60, 3, 1, '{}'), (4, 'South', 'Lamp', 2024, '2024-11-05', 40.25, 2, 3, NULL)
CREATE TABLE customers (id integer, name text, city text, born text)
INSERT INTO customers VALUES (1, 'Ann', 'Delft', '1980-05-05'), (2, 'Bob', 'Gouda', '1991-01-31'), (3, 'Cem', 'Delft', NULL)
CREATE TABLE "Mixed Case" ("Order No" integer, total real)
INSERT INTO "Mixed Case" VALUES (7, 70)
CREATE TABLE secret (region text, marker text, id integer)
INSERT INTO secret VALUES ('North', 'MARKER-4711', 1)
CREATE VIEW secret_view AS SELECT marker FROM secret
CREATE VIRTUAL TABLE notes USING fts5(body)
INSERT INTO notes VALUES ('MARKER-4711')
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(notes, row)
-- section: runs
SELECT * FROM sales
SELECT region, SUM(amount) AS total FROM sales GROUP BY region ORDER BY total DESC
SELECT region, year, SUM(amount) FROM sales GROUP BY 1, 2 HAVING SUM(amount) > 50 ORDER BY 1, 2
SELECT s.region, c.name, s.amount FROM sales s JOIN customers c ON c.id = s.customer_id
SELECT sales.region, customers.name FROM sales LEFT JOIN customers ON customers.id = sales.customer_id
SELECT main.sales.region FROM main.sales
SELECT Sales.Region FROM SALES
SELECT [region] FROM [sales] WHERE `year` = 2024
SELECT "Order No", total FROM "Mixed Case"
SELECT DISTINCT city FROM customers ORDER BY city COLLATE NOCASE
SELECT COUNT(*), COUNT(DISTINCT region), AVG(amount), MIN(amount), MAX(amount), TOTAL(amount) FROM sales
SELECT COUNT(*) FILTER (WHERE year = 2024) AS this_year, COUNT(*) AS all_years FROM sales
SELECT CASE WHEN amount > 100 THEN 'big' ELSE 'small' END AS size, COUNT(*) FROM sales GROUP BY 1
SELECT IIF(amount > 100, 'big', 'small'), IFNULL(amount, 0), COALESCE(amount, 0), NULLIF(quantity, 0) FROM sales
SELECT strftime('%Y-%m', sold_on) AS month, SUM(amount) FROM sales GROUP BY month ORDER BY month
SELECT strftime('%Y', sold_on), CAST(strftime('%m', sold_on) AS INTEGER), COUNT(*) FROM sales GROUP BY 1, 2
SELECT date(sold_on, 'start of month'), SUM(quantity) FROM sales GROUP BY 1
SELECT * FROM sales WHERE date(sold_on) >= date('2023-01-01') AND sold_on < date('2023-01-01', '+1 year')
SELECT * FROM sales WHERE sold_on BETWEEN '2023-01-01' AND '2023-12-31'
SELECT * FROM sales WHERE sold_on > date('now', '-90 days')
SELECT julianday('now') - julianday(sold_on), datetime('now'), time('now'), CURRENT_DATE, CURRENT_TIMESTAMP FROM sales
SELECT name, CAST((julianday('now') - julianday(born)) / 365.25 AS INTEGER) AS years FROM customers
SELECT CAST(strftime('%w', sold_on) AS INTEGER) AS weekday, COUNT(*) FROM sales GROUP BY weekday
SELECT (CAST(strftime('%m', sold_on) AS INTEGER) + 2) / 3 AS quarter, SUM(amount) FROM sales GROUP BY quarter
SELECT region, amount, RANK() OVER (PARTITION BY region ORDER BY amount DESC) FROM sales
SELECT year, SUM(amount) AS total, SUM(amount) - LAG(SUM(amount)) OVER (ORDER BY year) AS change FROM sales GROUP BY year
SELECT id, SUM(amount) OVER w, ROW_NUMBER() OVER w FROM sales WINDOW w AS (ORDER BY sold_on ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
SELECT region, AVG(amount) OVER (PARTITION BY region), NTILE(4) OVER (ORDER BY amount), FIRST_VALUE(amount) OVER (ORDER BY id) FROM sales
SELECT group_concat(name, ', '), group_concat(DISTINCT city) FROM customers
WITH totals AS (SELECT region, SUM(amount) AS total FROM sales GROUP BY region) SELECT * FROM totals WHERE total > 100
WITH a AS (SELECT * FROM sales WHERE year = 2023), b AS (SELECT * FROM a WHERE region = 'North') SELECT a.region, b.amount FROM a JOIN b ON a.id = b.id
WITH Totals AS (SELECT region, SUM(amount) AS total FROM sales GROUP BY region) SELECT totals.region, TOTALS.total FROM TOTALS
WITH RECURSIVE months(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM months WHERE n < 12) SELECT n, COUNT(s.id) FROM months LEFT JOIN sales s ON CAST(strftime('%m', s.sold_on) AS INTEGER) = n GROUP BY n ORDER BY n
WITH days(d) AS (SELECT '2024-01-01' UNION ALL SELECT date(d, '+1 day') FROM days WHERE d < '2024-01-05') SELECT d FROM days
SELECT * FROM (SELECT region, SUM(amount) AS total FROM sales GROUP BY region) AS t WHERE t.total > (SELECT AVG(amount) FROM sales)
SELECT * FROM sales s WHERE EXISTS (SELECT 1 FROM customers c WHERE c.id = s.customer_id AND c.city = 'Delft')
SELECT * FROM sales WHERE customer_id IN (SELECT id FROM customers WHERE city = 'Delft')
SELECT * FROM sales WHERE customer_id NOT IN (1, 2)
SELECT name, (SELECT SUM(amount) FROM sales WHERE customer_id = c.id) AS total FROM customers c
SELECT region FROM sales UNION SELECT city FROM customers
SELECT region FROM sales UNION ALL SELECT city FROM customers ORDER BY 1 LIMIT 3
SELECT id FROM customers EXCEPT SELECT customer_id FROM sales
SELECT id FROM customers INTERSECT SELECT customer_id FROM sales
SELECT json_extract(attributes, '$.colour') AS colour, COUNT(*) FROM sales GROUP BY 1
SELECT attributes ->> '$.colour', attributes -> '$.sizes' FROM sales
SELECT s.id, j.value FROM sales s, json_each(s.attributes, '$.sizes') AS j
SELECT json_group_array(name), json_group_object(name, city) FROM customers
SELECT json_object('region', region, 'total', SUM(amount)) FROM sales GROUP BY region
SELECT UPPER(region), LOWER(product), LENGTH(product), TRIM(product), SUBSTR(product, 1, 2), REPLACE(product, 'B', 'P'), INSTR(product, 'i') FROM sales
SELECT region || '-' || product AS both FROM sales
SELECT printf('%.2f', amount), printf('%05d', id), hex(product), unicode(product), char(65) FROM sales
SELECT * FROM sales WHERE product LIKE '%bi%' OR product GLOB 'L*'
SELECT ROUND(amount, 1), ABS(amount), amount % 7, MAX(amount, 5), MIN(amount, 5), CAST(amount AS INTEGER) FROM sales
SELECT amount * 1.0 / NULLIF(quantity, 0), CAST(year AS TEXT), CAST(amount AS REAL) FROM sales
SELECT ROUND(100.0 * SUM(amount) / SUM(SUM(amount)) OVER (), 1) AS share, region FROM sales GROUP BY region
SELECT * FROM sales ORDER BY sold_on DESC LIMIT 2 OFFSET 1
SELECT region, amount FROM sales WHERE (region, year) IN (VALUES ('North', 2023), ('South', 2024))
SELECT region FROM sales WHERE amount IS NOT NULL AND quantity IS NOT 2
SELECT typeof(amount), quote(region), sign(amount) FROM sales
SELECT column1, column2 FROM (VALUES (1, 'a'), (2, 'b'))
SELECT s.region /* the region */ FROM sales s -- all of them
SELECT region FROM sales WHERE product = 'secret; DROP TABLE sales'
SELECT SUM(CASE WHEN year = 2024 THEN amount ELSE 0 END) - SUM(CASE WHEN year = 2023 THEN amount ELSE 0 END) AS growth FROM sales
SELECT a.region, b.region FROM sales a, sales b WHERE a.id < b.id
SELECT region, amount FROM sales s WHERE amount = (SELECT MAX(amount) FROM sales WHERE region = s.region)
SELECT DISTINCT region FROM sales WHERE region <> 'East' AND NOT region = 'West'
SELECT strftime('%W', sold_on) AS week, SUM(quantity) FROM sales GROUP BY week
SELECT amount AS größe FROM sales WHERE region <> '10 € – “x”'
-- section: leaks
SELECT * FROM secret
SELECT marker FROM main.secret
SELECT * FROM "secret"
SELECT * FROM [secret]
SELECT * FROM `SECRET`
SELECT * FROM secret_view
SELECT region FROM sales UNION ALL SELECT marker FROM secret
SELECT region, (SELECT marker FROM secret LIMIT 1) FROM sales
SELECT x.marker FROM sales NATURAL JOIN secret x
SELECT secret.* FROM sales, secret
SELECT * FROM sales JOIN (SELECT marker FROM secret)
WITH a AS (SELECT * FROM secret), b AS (SELECT 1 AS x) SELECT * FROM a
WITH t AS (SELECT 1 AS a) SELECT t.a, marker FROM t, secret
SELECT (WITH secret AS (SELECT 'a' AS marker) SELECT marker FROM secret), marker FROM secret
SELECT MAX((SELECT marker FROM secret)) OVER () FROM sales
SELECT COALESCE(NULL, (SELECT marker FROM secret)) FROM sales
SELECT 'MARKER-4711' WHERE 'MARKER-4711' IN secret_view
SELECT CASE WHEN 'MARKER-4711' IN main.secret_view THEN 'MARKER' END
SELECT * FROM notes
SELECT notes FROM notes WHERE notes MATCH 'marker' UNION SELECT body FROM notes
SELECT snippet(notes, 0, '', '', '', 9) FROM notes WHERE notes MATCH 'marker'
SELECT upper(term) || '-' FROM vocabulary
SELECT highlight(notes, 0, '', '') FROM notes WHERE body MATCH 'marker'
SELECT c0 FROM notes_content
SELECT/**/marker/**/FROM/**/secret
SELECT marker FROM --comment\nsecret
VALUES ((SELECT marker FROM secret))
SELECT * FROM (VALUES ((SELECT marker FROM secret)))
SELECT group_concat(sql) || 'MARKER' FROM sqlite_master
SELECT name || 'MARKER' FROM pragma_table_list
SELECT name || 'MARKER' FROM pragma_table_info('secret')
SELECT name || 'MARKER' FROM pragma_database_list()
SELECT * FROM sales LEFT JOIN secret USING (region)
-- section: hidden
WITH secret AS (SELECT 1 AS a) SELECT marker FROM main.secret
SELECT "marker" FROM secret
-- section: refused
SELECT region FROM sales ORDER BY (SELECT marker FROM secret) COLLATE NOCASE LIMIT (SELECT 0 FROM secret) OFFSET 0
SELECT load_extension('x')
SELECT readfile('/etc/passwd')
SELECT writefile('/tmp/x', 'x')
SELECT edit('x')
SELECT fts3_tokenizer('x')
SELECT randomblob(1000000000)
SELECT zeroblob(1000000000)
SELECT sqlite_version()
SELECT sqlite_compileoption_get(0)
SELECT sqlite_source_id()
SELECT last_insert_rowid()
SELECT changes()
SELECT * FROM sqlite_schema
SELECT * FROM sqlite_temp_master
SELECT * FROM dbstat
SELECT * FROM temp.secret
SELECT * FROM other.sales
PRAGMA table_info('secret')
PRAGMA query_only = OFF
ATTACH 'other.db' AS other
VACUUM INTO '/tmp/x'
DELETE FROM sales
UPDATE sales SET amount = 0
INSERT INTO sales SELECT * FROM sales
REPLACE INTO sales SELECT * FROM sales
DROP TABLE sales
CREATE TABLE stolen AS SELECT * FROM sales
CREATE TEMP VIEW v AS SELECT 1
EXPLAIN SELECT * FROM secret
SELECT 1; SELECT 2
SELECT 1; DROP TABLE sales
SELECT unknown_function(region) FROM sales
SELECT ?1
SELECT :name
SELECT (((
BEGIN
REINDEX
ANALYZE
SELECT * FROM sales, LATERAL secret
SELECT * FROM sales, LATERAL main.secret
SELECT * FROM LATERAL secret
SELECT * FROM sales CROSS APPLY secret
SELECT * FROM sales OUTER APPLY main.secret
SELECT * FROM (secret)
SELECT * FROM (sales CROSS JOIN secret)
SELECT * FROM sales JOIN LATERAL secret ON true
SELECT * FROM sales FETCH FIRST 50 PERCENT ROWS ONLY
SELECT * FROM sales ORDER BY amount FETCH FIRST 3 ROWS WITH TIES
SELECT * FROM sales LIMIT 3 WITH TIES
SELECT * FROM sales LIMIT 1 BY region
SELECT printf('%.*c', 200000000, 'x')
SELECT format('%200000000d', 1)
SELECT region\u200bFROM\u200bsecret
SELECT region\u2060FROM\u2060secret
SELECT region\ufeffFROM\ufeffsecret
SELECT region AS a€ FROM sales
SELECT 'a\u0000b' FROM sales
SELECT '\ud800' FROM sales
