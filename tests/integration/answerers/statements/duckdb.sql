-- section: setup
CREATE TABLE sales (id integer, region varchar, product varchar, year integer, sold_on date, amount decimal(12, 2), quantity integer, customer_id integer, attributes json, tags varchar[])
INSERT INTO sales VALUES (1, 'North', 'Bike', 2023, '2023-01-15', 1200.50, 2, 1, '{"colour": "red", "sizes": [1, 2]}', ['new', 'sale']), (2, 'South', 'Bike', 2023, '2023-06-02', 900, 1, 2, '{"colour": "blue"}', ['sale']), (3, 'North', 'Lamp', 2024, '2024-02-20', 60, 3, 1, '{}', []), (4, 'South', 'Lamp', 2024, '2024-11-05', 40.25, 2, 3, NULL, NULL)
CREATE TABLE customers (id integer, name varchar, city varchar, born date)
INSERT INTO customers VALUES (1, 'Ann', 'Delft', '1980-05-05'), (2, 'Bob', 'Gouda', '1991-01-31'), (3, 'Cem', 'Delft', NULL)
CREATE TABLE "Mixed Case" ("Order No" integer, total decimal(12, 2))
INSERT INTO "Mixed Case" VALUES (7, 70)
CREATE TABLE secret (region varchar, marker varchar, id integer)
INSERT INTO secret VALUES ('North', 'MARKER-4711', 1)
CREATE VIEW secret_view AS SELECT marker FROM secret
CREATE SCHEMA other
CREATE TABLE other.sales AS SELECT 'North' AS region, 'MARKER-4711' AS marker
CREATE MACRO peek() AS (SELECT marker FROM secret)
CREATE MACRO peek_rows() AS TABLE SELECT * FROM secret
CREATE MACRO net_price(x) AS x / 1.21
CREATE MACRO lower(x) AS (SELECT marker FROM secret)
CREATE MACRO upper(x) AS (SELECT marker FROM secret)
CREATE MACRO round(x, y) AS (SELECT marker FROM secret)
CREATE MACRO count(x) AS (SELECT marker FROM secret)
CREATE MACRO "+"(a, b) AS (SELECT marker FROM secret)
CREATE MACRO "||"(a, b) AS (SELECT marker FROM secret)
CREATE MACRO range(a, b) AS TABLE SELECT * FROM secret
CREATE TYPE mood AS ENUM ('MARKER-4711')
-- section: runs
SELECT * FROM sales
FROM sales
FROM sales SELECT region, amount WHERE year = 2024
SELECT region, SUM(amount) AS total FROM sales GROUP BY region ORDER BY total DESC
SELECT region, year, SUM(amount) FROM sales GROUP BY ALL ORDER BY ALL
SELECT s.region, c.name, s.amount FROM sales s JOIN customers c ON c.id = s.customer_id
SELECT sales.region, customers.name FROM sales LEFT JOIN customers ON customers.id = sales.customer_id
SELECT s.region FROM main.sales AS s
SELECT Sales.Region FROM SALES
SELECT "region" FROM "sales" WHERE "year" = 2024
SELECT "Order No", total FROM "Mixed Case"
SELECT * EXCLUDE (attributes) FROM sales
SELECT * REPLACE (amount * 2 AS amount) FROM sales
SELECT COLUMNS('a.*') FROM sales
SELECT DISTINCT city FROM customers ORDER BY city NULLS LAST
SELECT COUNT(*), COUNT(DISTINCT region), AVG(amount), MIN(amount), MAX(amount), MEDIAN(amount) FROM sales
SELECT COUNT(region) FROM sales
SELECT COUNT(*) FILTER (WHERE year = 2024) AS this_year, COUNT_IF(year = 2023), COUNT(*) AS all_years FROM sales
SELECT CASE WHEN amount > 100 THEN 'big' ELSE 'small' END AS size, COUNT(*) FROM sales GROUP BY 1
SELECT date_trunc('month', sold_on) AS month, SUM(amount) FROM sales GROUP BY 1 ORDER BY 1
SELECT EXTRACT(YEAR FROM sold_on) AS y, quarter(sold_on) AS q, SUM(amount) FROM sales GROUP BY 1, 2
SELECT strftime(sold_on, '%Y-%m') AS month, SUM(quantity) FROM sales GROUP BY 1
SELECT year(sold_on), month(sold_on), monthname(sold_on), dayname(sold_on), week(sold_on), last_day(sold_on) FROM sales
SELECT * FROM sales WHERE sold_on >= DATE '2023-01-01' AND sold_on < DATE '2023-01-01' + INTERVAL 1 YEAR
SELECT * FROM sales WHERE sold_on BETWEEN '2023-01-01' AND '2023-12-31'
SELECT * FROM sales WHERE sold_on > CURRENT_DATE - INTERVAL '90 days'
SELECT date_diff('day', born, DATE '2024-01-01'), datediff('year', born, current_date), age(born) FROM customers
SELECT make_date(year, 1, 1), strptime('2024-01-02', '%Y-%m-%d'), epoch(sold_on), today(), now()::date FROM sales
SELECT region, amount, RANK() OVER (PARTITION BY region ORDER BY amount DESC) FROM sales
SELECT year, SUM(amount) AS total, SUM(amount) - LAG(SUM(amount)) OVER (ORDER BY year) AS change FROM sales GROUP BY year
SELECT id, SUM(amount) OVER w, ROW_NUMBER() OVER w FROM sales WINDOW w AS (ORDER BY sold_on ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
SELECT region, amount FROM sales QUALIFY ROW_NUMBER() OVER (PARTITION BY region ORDER BY amount DESC) = 1
SELECT quantile_cont(amount, 0.5), mode(region), approx_count_distinct(region), arg_max(product, amount), first(region ORDER BY id) FROM sales
SELECT string_agg(name, ', ' ORDER BY name), list(city), array_agg(name), max_by(name, born) FROM customers
SELECT stddev(amount), variance(amount), corr(amount, quantity), bool_or(amount > 100), histogram(year) FROM sales
SELECT region, year, SUM(amount), GROUPING(region) FROM sales GROUP BY ROLLUP (region, year)
SELECT region, product, SUM(amount) FROM sales GROUP BY CUBE (region, product)
SELECT region, product, SUM(amount) FROM sales GROUP BY GROUPING SETS ((region), (product), ())
WITH totals AS (SELECT region, SUM(amount) AS total FROM sales GROUP BY region) SELECT * FROM totals WHERE total > 100
WITH a AS (SELECT * FROM sales WHERE year = 2023), b AS (SELECT * FROM a WHERE region = 'North') SELECT a.region, b.amount FROM a JOIN b ON a.id = b.id
WITH Totals AS (SELECT region, SUM(amount) AS total FROM sales GROUP BY region) SELECT totals.region, TOTALS.total FROM TOTALS
WITH sales AS (SELECT region, amount FROM sales WHERE year = 2024) SELECT region, SUM(amount) FROM sales GROUP BY region
WITH RECURSIVE months(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM months WHERE n < 12) SELECT n, COUNT(s.id) FROM months LEFT JOIN sales s ON month(s.sold_on) = n GROUP BY n ORDER BY n
SELECT * FROM (SELECT region, SUM(amount) AS total FROM sales GROUP BY region) AS t WHERE t.total > (SELECT AVG(amount) FROM sales)
SELECT * FROM sales s WHERE EXISTS (SELECT 1 FROM customers c WHERE c.id = s.customer_id AND c.city = 'Delft')
SELECT * FROM sales WHERE customer_id IN (SELECT id FROM customers WHERE city = 'Delft')
SELECT name, (SELECT SUM(amount) FROM sales WHERE customer_id = c.id) AS total FROM customers c
SELECT c.name, best.amount FROM customers c CROSS JOIN LATERAL (SELECT amount FROM sales WHERE customer_id = c.id ORDER BY amount DESC LIMIT 1) AS best
SELECT region FROM sales UNION SELECT city FROM customers
SELECT region FROM sales UNION ALL SELECT city FROM customers ORDER BY 1 LIMIT 3
SELECT id FROM customers EXCEPT SELECT customer_id FROM sales
SELECT n, COUNT(s.id) FROM range(1, 13) AS t(n) LEFT JOIN sales s ON month(s.sold_on) = n GROUP BY n ORDER BY n
SELECT month FROM generate_series(DATE '2024-01-01', DATE '2024-03-01', INTERVAL 1 MONTH) AS t(month)
SELECT v.name, COUNT(s.id) FROM (VALUES ('North'), ('East')) AS v(name) LEFT JOIN sales s ON s.region = v.name GROUP BY v.name
SELECT id, UNNEST(tags) AS tag FROM sales
SELECT id, t.tag FROM sales, UNNEST(tags) AS t(tag)
SELECT attributes ->> 'colour' AS colour, COUNT(*) FROM sales GROUP BY 1
SELECT json_extract_string(attributes, '$.colour'), attributes -> '$.sizes' FROM sales
SELECT list_contains(tags, 'new'), len(tags), list_transform(tags, t -> t || '!'), list_filter([1, 2], x -> x > 1), tags[1] FROM sales
SELECT {'region': region, 'total': SUM(amount)} AS pair FROM sales GROUP BY region
SELECT struct_pack(a := 1).a, map {'a': 1}, [x * 2 FOR x IN [1, 2]]
SELECT LOWER(region), UPPER(region), LENGTH(product), TRIM(product), SUBSTRING(product, 1, 2), LEFT(product, 1), REPLACE(product, 'B', 'P') FROM sales
SELECT region || '-' || product AS both, CONCAT(region, product), split_part(product, 'i', 1), strpos(product, 'i') FROM sales
SELECT * FROM sales WHERE product ILIKE '%bi%' OR product LIKE 'L%' OR regexp_matches(product, '^B') OR starts_with(product, 'B') OR contains(product, 'i')
SELECT regexp_replace(product, 'i', 'o'), LPAD(year::text, 6, '0'), md5(product), printf('%.2f', amount::double) FROM sales
SELECT ROUND(amount, 1), CEIL(amount), FLOOR(amount), ABS(amount), amount % 7, quantity ** 2, quantity // 2, SQRT(amount) FROM sales
SELECT quantity + 1 AS more FROM sales
SELECT amount / NULLIF(quantity, 0), COALESCE(amount, 0), IFNULL(amount, 0), GREATEST(amount, 5), LEAST(amount, 5) FROM sales
SELECT amount::integer, CAST(year AS varchar), TRY_CAST(product AS integer), sold_on::timestamp FROM sales
SELECT ROUND(100.0 * SUM(amount) / SUM(SUM(amount)) OVER (), 1) AS share, region FROM sales GROUP BY region
SELECT * FROM sales PIVOT (SUM(amount) FOR year IN (2023, 2024) GROUP BY region)
SELECT * FROM sales ORDER BY sold_on DESC LIMIT 2 OFFSET 1
SELECT region, amount FROM sales WHERE (region, year) IN (('North', 2023), ('South', 2024))
SELECT a.region FROM sales a ASOF JOIN sales b ON a.region = b.region AND a.sold_on >= b.sold_on
SELECT * FROM sales USING SAMPLE 2 ROWS
SELECT net_price(amount) FROM sales
SELECT main.net_price(amount), shop.main.net_price(amount) FROM sales
SELECT s.region /* the region */ FROM sales s -- all of them
SELECT region FROM sales WHERE product = 'secret; DROP TABLE sales'
SELECT repeat('x', 10), rpad(region, 10, ' '), format('{}: {:.2f}', region, amount::double) FROM sales
SELECT UNNEST(generate_series(DATE '2024-01-01', DATE '2024-03-01', INTERVAL 1 MONTH)), range(3)
SELECT COUNT(*) FROM range(1, 20000)
SELECT UNNEST(generate_series(MIN(sold_on), MAX(sold_on), INTERVAL 1 MONTH)) AS month FROM sales
SELECT UNNEST(generate_series(DATE_TRUNC('month', MIN(sold_on)), CURRENT_DATE, INTERVAL '1 month')) FROM sales
WITH bounds AS (SELECT MIN(sold_on) AS first, MAX(sold_on) AS last FROM sales) SELECT d FROM bounds, generate_series(first, last, INTERVAL 1 MONTH) AS s(d)
SELECT UNNEST(generate_series(DATE '2020-01-01', DATE '2024-12-31', INTERVAL 1 DAY)) AS day
SELECT UNNEST(range(0, 100000, 1000)), UNNEST(range(-5, 5)), range(24), range(7)
SELECT replace(replace(replace(region, 'North', 'Northern regions'), 'South', 'Southern regions'), ' ', '_'), regexp_replace(product, '(.)i', '\1o') FROM sales
SELECT region || ': ' || SUM(amount) || ' (' || ROUND(100.0 * SUM(amount) / SUM(SUM(amount)) OVER (), 1) || '%)' FROM sales GROUP BY region
SELECT repeat('=', 80), lpad(id::varchar, 8, '0') || '-' || lpad(year::varchar, 6, '0'), concat(region, ' ', region) FROM sales
WITH RECURSIVE path(n, route) AS (SELECT 1, 'a' UNION ALL SELECT n + 1, route || '/' || n FROM path WHERE n < 5) SELECT * FROM path
SELECT now(), current_timestamp, sold_on::timestamptz, TIMETZ '10:00:00+02', [now()] FROM sales
SELECT amount AS größe, region AS नगर FROM sales WHERE product <> '10 € – “x”'
SELECT list_transform([1, 2], lambda x: x * quantity), list_filter(tags, lambda t: t <> region), list_reduce([1, 2, 3], lambda a, x: a + x), [x * quantity FOR x IN [1, 2] IF x > 1] FROM sales
SELECT list_transform(range(365), lambda x: x * 2), hex(product), to_json(tags) FROM sales
SELECT range(10000), id FROM sales
SELECT list_resize([id], 1000, 5) FROM sales
-- section: leaks
SELECT * FROM secret
FROM secret
SELECT marker FROM main.secret
SELECT marker FROM shop.main.secret
SELECT * FROM "secret"
SELECT * FROM 'secret'
SELECT * FROM SECRET
SELECT * FROM secret_view
SELECT * FROM other.sales
TABLE secret
SELECT * FROM (TABLE secret) AS t
SELECT * FROM (FROM secret)
SELECT region FROM sales UNION ALL SELECT marker FROM secret
SELECT region FROM sales UNION ALL BY NAME SELECT marker FROM secret
SELECT region, (SELECT marker FROM secret LIMIT 1) FROM sales
SELECT region, (FROM secret SELECT marker) FROM sales
SELECT x.marker FROM sales NATURAL JOIN secret x
SELECT marker FROM sales POSITIONAL JOIN secret
SELECT marker FROM sales SEMI JOIN customers USING (id), secret
WITH a AS (SELECT * FROM secret), secret AS (SELECT 1 AS x) SELECT * FROM a
WITH secret AS (SELECT * FROM secret) SELECT * FROM secret
SELECT (WITH secret AS (SELECT 'a' AS marker) SELECT marker FROM secret), marker FROM secret
SELECT * FROM query('SELECT * FROM secret')
SELECT * FROM query_table('secret')
SELECT * FROM query_table(['secret'])
SELECT peek()
SELECT main.peek()
SELECT shop.main.peek()
SELECT * FROM peek_rows()
SELECT main.lower(region) FROM sales
SELECT {'a': peek()}.a
SELECT ARRAY(SELECT marker FROM secret)
SELECT * FROM main.range(1, 2)
SELECT * FROM shop.main.range(1, 2)
SELECT marker FROM main.range(1, 2), LATERAL (SELECT 1)
SELECT/**/marker/**/FROM/**/secret
SELECT marker FROM --comment\nsecret
SELECT unnest(enum_range(NULL::mood))::varchar
SELECT 'MARKER-4711'::mood
SELECT sql || 'MARKER' FROM duckdb_tables() WHERE table_name = 'secret'
SELECT macro_definition FROM duckdb_functions() WHERE function_name = 'peek' UNION SELECT 'MARKER'
SELECT name || 'MARKER' FROM pragma_table_info('secret')
SELECT * FROM (SUMMARIZE secret)
SELECT column_name || 'MARKER' FROM (DESCRIBE secret)
SUMMARIZE secret
PIVOT secret ON region USING first(marker)
SELECT * FROM secret PIVOT (FIRST(marker) FOR region IN ('North'))
VALUES ((SELECT marker FROM secret))
SELECT COALESCE(NULL, (SELECT marker FROM secret)) FROM sales
SELECT marker\u200bFROM\u200bshop.main.secret
SELECT marker\u2060FROM\u2060shop.main.secret
SELECT marker\ufeffFROM\ufeffshop.main.secret
SELECT id\u2060,marker\u2060FROM\u2060shop.main.secret
SELECT region, (SELECT a\u200bFROM\u200b(SELECT marker AS a FROM shop.main.secret)) FROM sales
SELECT 1 AS a\u2060,marker\u2060FROM\u2060shop.main.secret
SELECT marker\u00a0FROM\u00a0secret
-- section: hidden
SELECT lower(region) FROM sales
SELECT upper(region), region FROM sales
SELECT round(amount, 1) FROM sales
SELECT count(region) FROM sales
SELECT quantity + 1 FROM sales
SELECT region || product FROM sales
SELECT * FROM range(1, 2)
-- section: refused
SELECT list_transform([1], x -> (SELECT marker FROM secret))
SELECT list_transform([1], x -> peek())
SELECT [peek() FOR x IN [1]]
SELECT * FROM read_csv('/etc/passwd')
SELECT * FROM read_text('/etc/passwd')
SELECT * FROM read_blob('/etc/*')
SELECT * FROM read_parquet('x.parquet')
SELECT * FROM '/etc/passwd'
SELECT * FROM "/etc/passwd"
SELECT * FROM 'https://example.com/x.csv'
SELECT * FROM glob('/etc/*')
SELECT getenv('HOME')
SELECT getvariable('x')
SELECT current_setting('threads')
SELECT * FROM duckdb_settings()
SELECT * FROM duckdb_secrets()
SELECT * FROM sqlite_scan('x', 'y')
SELECT * FROM postgres_scan('x', 'y', 'z')
SELECT nextval('x')
SELECT current_user
SELECT version()
SELECT * FROM information_schema.tables
SELECT * FROM pg_catalog.pg_tables
SELECT * FROM sqlite_master
SELECT * FROM test_all_types()
COPY sales TO '/tmp/stolen.csv'
EXPORT DATABASE '/tmp/stolen'
ATTACH 'other.db' AS other
INSTALL httpfs
LOAD httpfs
SET search_path = 'main'
PRAGMA database_list
CREATE MACRO f() AS 1
CREATE TABLE stolen AS SELECT * FROM sales
DELETE FROM sales
EXPLAIN ANALYZE SELECT * FROM sales
CALL pragma_version()
SELECT 1; SELECT 2
SELECT 1; DROP TABLE sales
SELECT $1
SELECT * FROM sales WHERE region IN secret
SHOW TABLES
SELECT (((
SELECT * FROM sales, LATERAL secret
SELECT * FROM sales, LATERAL main.secret
SELECT * FROM LATERAL secret
SELECT * FROM sales CROSS APPLY secret
SELECT * FROM sales OUTER APPLY main.secret
SELECT * FROM (secret)
SELECT * FROM (sales CROSS JOIN secret)
SELECT * FROM sales JOIN LATERAL secret ON true
SELECT * FROM sales LIMIT 50%
FROM LATERAL secret
FROM sales, LATERAL secret SELECT marker
SELECT * FROM sales FETCH FIRST 50 PERCENT ROWS ONLY
SELECT * FROM sales ORDER BY amount FETCH FIRST 3 ROWS WITH TIES
SELECT * FROM sales LIMIT 3 WITH TIES
SELECT * FROM sales LIMIT 1 BY region
SELECT repeat('x', 100000000)
SELECT repeat('x', quantity * 100000) FROM sales
SELECT lpad('x', 100000000, 'y')
SELECT rpad('x', year * 10000, 'y') FROM sales
SELECT printf('%100000000d', 1)
SELECT format('{:100000000}', 1)
SELECT format('{:{}}', 1, 100000000)
SELECT printf(product, 1) FROM sales
SELECT list_resize([1], 1000000000)
SELECT bar(1, 0, 1, 1000000000)
SELECT range(100000000)
SELECT generate_series(1, 100000000)
SELECT region\u00adx FROM sales
SELECT region AS a\u202eb FROM sales
SELECT region AS a€ FROM sales
SELECT 'a\u0000b' FROM sales
SELECT region\u000cFROM sales
SELECT '\ud800' FROM sales
SELECT list_resize([1], '200000000')
SELECT list_resize([1], id * 10000) FROM sales
SELECT max(len(range(id * 10000 * 10000))) FROM sales
SELECT max(len(range(id))) FROM sales
SELECT max(len(generate_series(1, 10000 * 10000)))
SELECT max(len(range('100000000'::bigint)))
SELECT max(len(range(-100000000, 5)))
SELECT generate_series(TIMESTAMP '1900-01-01', TIMESTAMP '2000-01-01', INTERVAL 1 SECOND)
SELECT generate_series(TIMESTAMP '2000-01-01', TIMESTAMP '2000-01-02', INTERVAL 1 MICROSECOND)
SELECT generate_series(DATE '0001-01-01', DATE '0001-01-01' + INTERVAL 4000000 YEAR, INTERVAL 1 DAY)
SELECT generate_series(a, b, INTERVAL 1 DAY) FROM (SELECT DATE '0001-01-01' AS a, DATE '0001-01-01' + INTERVAL 4000000 YEAR AS b)
SELECT sold_on + INTERVAL 4000000 YEAR AS b, generate_series(sold_on, b, INTERVAL 1 DAY) FROM sales
SELECT max(length(repeat(repeat(range::varchar, 10000), 100))) FROM range(2048)
SELECT max(length(repeat(s, 10000))) FROM (SELECT repeat('x', 10000) AS s FROM range(2048))
SELECT max(length(repeat('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 10000)))
SELECT repeat(region, 1000) FROM sales
SELECT lpad(region, '100000000', 'x') FROM sales
SELECT max(length(s)) FROM (SELECT s||s||s||s||s||s||s||s||s||s||s||s AS s FROM (SELECT s||s||s||s||s||s||s||s||s||s||s||s AS s FROM (SELECT lpad(range::varchar, 10000, 'x') AS s FROM range(2048))))
SELECT max(length(replace(s, 'x', s))) FROM (SELECT lpad(range::varchar, 10000, 'x') AS s FROM range(2048))
SELECT max(length(replace(lpad(range::varchar, 10000, 'x'), 'x', 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'))) FROM range(2048)
SELECT max(length(regexp_replace(s, '.*', '\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0'))) FROM (SELECT lpad(range::varchar, 10000, 'x') AS s FROM range(2048))
SELECT max(length(format('{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}', s))) FROM (SELECT lpad(range::varchar, 10000, 'x') AS s FROM range(2048))
SELECT max(len(list_transform(range(10000), lambda x: lpad(x::varchar, 10000, 'y')))) FROM range(2048)
SELECT max(len(list_transform(range(10000), lambda x: range(10000)))) FROM range(2048)
WITH RECURSIVE t(n, s) AS (SELECT 1, 'x' UNION ALL SELECT n + 1, s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s||s FROM t WHERE n < 6) SELECT max(length(s)) FROM t
SELECT max(length(bin(bin(bin(s))))) FROM (SELECT lpad(range::varchar, 10000, 'x') AS s FROM range(2048))
SELECT list_transform(l, lambda x: l) FROM (SELECT range(10000) AS l)
SELECT list_transform(l, lambda x: l) FROM (SELECT list(range) AS l FROM range(100000))
SELECT [l FOR x IN l] FROM (SELECT range(10000) AS l)
SELECT list_transform([range(10000)], lambda x: list_transform(x, lambda y: x))
SELECT list_reduce(l, lambda a, x: a || a) FROM (SELECT ['x'] || range(40)::varchar[] AS l)
SELECT list_transform(tags, lambda t: CASE WHEN t = region THEN tags END) FROM sales
