-- section: setup
CREATE TABLE sales (id integer, region varchar(20), product text, year integer, sold_on date, amount numeric(12, 2), quantity integer, customer_id integer, attributes jsonb, tags text[])
INSERT INTO sales VALUES (1, 'North', 'Bike', 2023, '2023-01-15', 1200.50, 2, 1, '{"colour": "red", "sizes": [1, 2]}', '{new,sale}'), (2, 'South', 'Bike', 2023, '2023-06-02', 900, 1, 2, '{"colour": "blue"}', '{sale}'), (3, 'North', 'Lamp', 2024, '2024-02-20', 60, 3, 1, '{}', '{}'), (4, 'South', 'Lamp', 2024, '2024-11-05', 40.25, 2, 3, NULL, NULL)
CREATE TABLE customers (id integer, name text, city text, born date)
INSERT INTO customers VALUES (1, 'Ann', 'Delft', '1980-05-05'), (2, 'Bob', 'Gouda', '1991-01-31'), (3, 'Cem', 'Delft', NULL)
CREATE TABLE "Mixed Case" ("Order No" integer, total numeric)
INSERT INTO "Mixed Case" VALUES (7, 70)
CREATE TABLE secret (region text, marker text, id integer)
INSERT INTO secret VALUES ('North', 'MARKER-4711', 1)
CREATE TABLE "SALES" (region text, marker text)
INSERT INTO "SALES" VALUES ('North', 'MARKER-4711')
CREATE SCHEMA other
CREATE TABLE other.sales (region text, marker text)
INSERT INTO other.sales VALUES ('North', 'MARKER-4711')
CREATE FUNCTION peek() RETURNS text LANGUAGE sql STABLE AS 'SELECT marker FROM public.secret'
CREATE FUNCTION peek_at(anyelement) RETURNS text LANGUAGE sql STABLE AS 'SELECT marker FROM public.secret'
CREATE FUNCTION peek_row(sales) RETURNS text LANGUAGE sql STABLE AS 'SELECT marker FROM public.secret'
CREATE FUNCTION peek_rows() RETURNS SETOF secret LANGUAGE sql STABLE AS 'SELECT * FROM public.secret'
CREATE FUNCTION lower(varchar) RETURNS text LANGUAGE sql STABLE AS 'SELECT marker FROM public.secret'
CREATE FUNCTION round(integer) RETURNS text LANGUAGE sql STABLE AS 'SELECT marker FROM public.secret'
CREATE FUNCTION spy(varchar, varchar) RETURNS text LANGUAGE sql STABLE AS 'SELECT marker FROM public.secret'
CREATE OPERATOR || (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = spy)
CREATE OPERATOR <%> (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = spy)
CREATE FUNCTION spy_state(text, integer) RETURNS text LANGUAGE sql STABLE AS 'SELECT marker FROM public.secret'
CREATE AGGREGATE spy_all(integer) (SFUNC = spy_state, STYPE = text)
CREATE DOMAIN spy_text AS text
CREATE FUNCTION net_price(numeric) RETURNS numeric LANGUAGE sql STABLE AS 'SELECT $1 / 1.21'
CREATE FUNCTION other.generate_series(integer, integer) RETURNS SETOF text LANGUAGE sql STABLE AS 'SELECT marker FROM public.secret'
CREATE FUNCTION other.unnest(text[]) RETURNS SETOF text LANGUAGE sql STABLE AS 'SELECT marker FROM public.secret'
CREATE FUNCTION other.net_price(numeric) RETURNS text LANGUAGE sql STABLE AS 'SELECT marker FROM public.secret'
CREATE AGGREGATE other.sum(integer) (SFUNC = spy_state, STYPE = text)
CREATE FUNCTION regions(integer) RETURNS SETOF text LANGUAGE sql STABLE AS 'SELECT region FROM public.sales WHERE id = $1'
-- section: runs
SELECT r FROM regions(1) AS r
SELECT s.id, r FROM sales s, LATERAL regions(s.id) AS r
SELECT * FROM pg_catalog.generate_series(1, 2) AS n
SELECT * FROM sales
SELECT region, SUM(amount) AS total FROM sales GROUP BY region ORDER BY total DESC
SELECT region, year, SUM(amount) FROM sales GROUP BY 1, 2 HAVING SUM(amount) > 50 ORDER BY 1, 2
SELECT s.region, c.name, s.amount FROM sales s JOIN customers c ON c.id = s.customer_id
SELECT sales.region, customers.name FROM sales LEFT JOIN customers ON customers.id = sales.customer_id
SELECT public.sales.region FROM public.sales
SELECT Sales.Region FROM SaLeS
SELECT "region" FROM "sales" WHERE "year" = 2024
SELECT "Order No", total FROM "Mixed Case"
SELECT DISTINCT city FROM customers ORDER BY city NULLS LAST
SELECT DISTINCT ON (region) region, amount FROM sales ORDER BY region, amount DESC
SELECT COUNT(*), COUNT(DISTINCT region), AVG(amount), MIN(amount), MAX(amount) FROM sales
SELECT COUNT(*) FILTER (WHERE year = 2024) AS this_year, COUNT(*) AS all_years FROM sales
SELECT CASE WHEN amount > 100 THEN 'big' ELSE 'small' END AS size, COUNT(*) FROM sales GROUP BY 1
SELECT CASE region WHEN 'North' THEN 1 ELSE 2 END FROM sales
SELECT date_trunc('month', sold_on) AS month, SUM(amount) FROM sales GROUP BY 1 ORDER BY 1
SELECT EXTRACT(YEAR FROM sold_on) AS y, EXTRACT(QUARTER FROM sold_on) AS q, SUM(amount) FROM sales GROUP BY 1, 2
SELECT to_char(sold_on, 'YYYY-MM') AS month, SUM(quantity) FROM sales GROUP BY 1
SELECT date_part('dow', sold_on), COUNT(*) FROM sales GROUP BY 1
SELECT * FROM sales WHERE sold_on >= DATE '2023-01-01' AND sold_on < DATE '2023-01-01' + INTERVAL '1 year'
SELECT * FROM sales WHERE sold_on BETWEEN '2023-01-01' AND '2023-12-31'
SELECT * FROM sales WHERE sold_on > CURRENT_DATE - INTERVAL '90 days'
SELECT age(CURRENT_DATE, born), now(), CURRENT_TIMESTAMP FROM customers WHERE born IS NOT NULL
SELECT name, EXTRACT(YEAR FROM age(born)) AS years FROM customers
SELECT make_date(year, 1, 1), to_date('2024-01-02', 'YYYY-MM-DD') FROM sales
SELECT region, amount, RANK() OVER (PARTITION BY region ORDER BY amount DESC) FROM sales
SELECT year, SUM(amount) AS total, SUM(amount) - LAG(SUM(amount)) OVER (ORDER BY year) AS change FROM sales GROUP BY year
SELECT id, SUM(amount) OVER w, ROW_NUMBER() OVER w FROM sales WINDOW w AS (ORDER BY sold_on ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
SELECT region, AVG(amount) OVER (PARTITION BY region), NTILE(4) OVER (ORDER BY amount), FIRST_VALUE(amount) OVER (ORDER BY id) FROM sales
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY amount) AS median, MODE() WITHIN GROUP (ORDER BY region) FROM sales
SELECT STRING_AGG(name, ', ' ORDER BY name), ARRAY_AGG(city), JSON_AGG(name) FROM customers
SELECT STDDEV(amount), VARIANCE(amount), CORR(amount, quantity), BOOL_OR(amount > 100), BOOL_AND(amount > 0) FROM sales
SELECT region, year, SUM(amount), GROUPING(region) FROM sales GROUP BY ROLLUP (region, year)
SELECT region, product, SUM(amount) FROM sales GROUP BY CUBE (region, product)
SELECT region, product, SUM(amount) FROM sales GROUP BY GROUPING SETS ((region), (product), ())
WITH totals AS (SELECT region, SUM(amount) AS total FROM sales GROUP BY region) SELECT * FROM totals WHERE total > 100
WITH a AS (SELECT * FROM sales WHERE year = 2023), b AS (SELECT * FROM a WHERE region = 'North') SELECT a.region, b.amount FROM a JOIN b ON a.id = b.id
WITH Totals AS (SELECT region, SUM(amount) AS total FROM sales GROUP BY region) SELECT totals.region, TOTALS.total FROM TOTALS
WITH sales AS (SELECT region, amount FROM sales WHERE year = 2024) SELECT region, SUM(amount) FROM sales GROUP BY region
WITH RECURSIVE months(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM months WHERE n < 12) SELECT n, COUNT(s.id) FROM months LEFT JOIN sales s ON EXTRACT(MONTH FROM s.sold_on) = n GROUP BY n ORDER BY n
SELECT * FROM (SELECT region, SUM(amount) AS total FROM sales GROUP BY region) AS t WHERE t.total > (SELECT AVG(amount) FROM sales)
SELECT * FROM sales s WHERE EXISTS (SELECT 1 FROM customers c WHERE c.id = s.customer_id AND c.city = 'Delft')
SELECT * FROM sales WHERE customer_id IN (SELECT id FROM customers WHERE city = 'Delft')
SELECT * FROM sales WHERE amount > ALL (SELECT amount FROM sales WHERE year = 2024)
SELECT * FROM sales WHERE region = ANY (ARRAY['North', 'East'])
SELECT name, (SELECT SUM(amount) FROM sales WHERE customer_id = c.id) AS total FROM customers c
SELECT c.name, best.amount FROM customers c CROSS JOIN LATERAL (SELECT amount FROM sales WHERE customer_id = c.id ORDER BY amount DESC LIMIT 1) AS best
SELECT region FROM sales UNION SELECT city FROM customers
SELECT region FROM sales UNION ALL SELECT city FROM customers ORDER BY 1 LIMIT 3
SELECT id FROM customers EXCEPT SELECT customer_id FROM sales
SELECT id FROM customers INTERSECT SELECT customer_id FROM sales
(SELECT region FROM sales LIMIT 1) UNION ALL (SELECT region FROM sales LIMIT 1)
SELECT month, COALESCE(SUM(amount), 0) FROM generate_series(DATE '2024-01-01', DATE '2024-12-01', INTERVAL '1 month') AS month LEFT JOIN sales ON date_trunc('month', sold_on) = month GROUP BY month ORDER BY month
SELECT v.name, COUNT(s.id) FROM (VALUES ('North'), ('East')) AS v(name) LEFT JOIN sales s ON s.region = v.name GROUP BY v.name
SELECT id, tag FROM sales, unnest(tags) AS tag
SELECT attributes ->> 'colour' AS colour, COUNT(*) FROM sales GROUP BY 1
SELECT attributes -> 'sizes' -> 0, attributes #>> '{sizes,1}' FROM sales WHERE attributes @> '{"colour": "red"}'
SELECT id, jsonb_array_elements_text(attributes -> 'sizes') FROM sales WHERE attributes ? 'sizes'
SELECT jsonb_build_object('region', region, 'total', SUM(amount)) FROM sales GROUP BY region
SELECT UPPER(region), INITCAP(product), LENGTH(product), TRIM(product), SUBSTRING(product FROM 1 FOR 2), LEFT(product, 1), REPLACE(product, 'B', 'P') FROM sales
SELECT LOWER(region) FROM sales
SELECT region || '-' || product AS both FROM sales
SELECT CONCAT(region, ' ', year), CONCAT_WS(', ', region, product), SPLIT_PART(product, 'i', 1), POSITION('i' IN product) FROM sales
SELECT * FROM sales WHERE product ILIKE '%bi%' OR product LIKE 'L%' OR product ~* '^b' OR product SIMILAR TO '(B|L)%'
SELECT regexp_replace(product, 'i', 'o'), LPAD(year::text, 6, '0'), md5(product) FROM sales
SELECT * FROM sales WHERE to_tsvector('english', product) @@ plainto_tsquery('english', 'bikes')
SELECT ROUND(amount, 1), ROUND(quantity), CEIL(amount), FLOOR(amount), ABS(amount), amount % 7, POWER(quantity, 2), SQRT(amount), TRUNC(amount) FROM sales
SELECT amount / NULLIF(quantity, 0), COALESCE(amount, 0), GREATEST(amount, 5), LEAST(amount, 5) FROM sales
SELECT amount::integer, CAST(year AS text), CAST(amount AS double precision), '5'::numeric(10, 2), sold_on::timestamp FROM sales
SELECT ROUND(100.0 * SUM(amount) / SUM(SUM(amount)) OVER (), 1) AS share, region FROM sales GROUP BY region
SELECT width_bucket(amount, 0, 2000, 4) AS bucket, COUNT(*) FROM sales GROUP BY bucket
SELECT pg_catalog.upper(region) FROM sales
SELECT * FROM sales ORDER BY sold_on DESC OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY
SELECT region, amount FROM sales WHERE (region, year) IN (('North', 2023), ('South', 2024))
SELECT region FROM sales WHERE amount IS NOT DISTINCT FROM 60 OR tags && ARRAY['new']
SELECT net_price(amount) FROM sales
SELECT public.net_price(amount) FROM sales
SELECT row_to_json(s) FROM (SELECT region, amount FROM sales) s
SELECT s.region /* the region */ FROM sales s -- all of them
SELECT region FROM sales WHERE product = 'secret; DROP TABLE sales'
SELECT s FROM (SELECT region FROM sales) s
SELECT first_sale.* FROM (SELECT MIN(sold_on) AS day FROM sales) AS first_sale
SELECT u FROM sales s, LATERAL unnest(s.tags) AS u
SELECT a.id FROM (sales a CROSS JOIN customers b)
SELECT repeat('x', 10), rpad(region, 10), format('%s: %5s', region, product) FROM sales
SELECT amount AS größe FROM sales WHERE region <> '10 € – “x”'
SELECT generate_series(MIN(sold_on), MAX(sold_on), '1 month') FROM sales
WITH bounds AS (SELECT MIN(sold_on) AS first, MAX(sold_on) AS last FROM sales) SELECT d FROM bounds, generate_series(first, last, INTERVAL '1 month') AS d
-- section: leaks
SELECT * FROM secret
SELECT marker FROM public.secret
SELECT * FROM "secret"
SELECT * FROM SECRET
SELECT * FROM other.sales
SELECT marker FROM "SALES"
TABLE secret
SELECT * FROM (TABLE secret) AS t
WITH t AS (TABLE secret) SELECT * FROM t
SELECT ARRAY(SELECT marker FROM secret)
SELECT region FROM sales UNION ALL SELECT marker FROM secret
SELECT region, (SELECT marker FROM secret LIMIT 1) FROM sales
SELECT s.region, x.marker FROM sales s CROSS JOIN LATERAL (SELECT marker FROM secret) x
SELECT x.marker FROM sales NATURAL JOIN secret x
SELECT secret.* FROM sales, secret
WITH "SECRET" AS (SELECT 1 AS marker) SELECT * FROM SECRET
WITH a AS (SELECT * FROM secret), secret AS (SELECT 1 AS x) SELECT * FROM a
WITH secret AS (SELECT * FROM secret) SELECT * FROM secret
SELECT (WITH secret AS (SELECT 'a' AS marker) SELECT marker FROM secret), marker FROM secret
SELECT MAX((SELECT marker FROM secret)) OVER () FROM sales
SELECT COALESCE(NULL, (SELECT marker FROM secret)) FROM sales
SELECT region FROM sales GROUP BY region HAVING (SELECT marker FROM secret) LIKE 'MARKER%' UNION SELECT marker FROM secret
SELECT * FROM ts_stat('SELECT to_tsvector(''simple'', replace(marker, ''-'', ''x'')) FROM secret')
SELECT ts_rewrite('a'::tsquery, 'SELECT ''a''::tsquery, replace(marker, ''-'', ''x'')::tsquery FROM secret')
SELECT peek()
SELECT * FROM other.generate_series(1, 2)
SELECT u FROM sales, LATERAL other.unnest(tags) AS u
SELECT other.net_price(amount) FROM sales
SELECT other.sum(quantity) FROM sales
SELECT other.sum(quantity) OVER () FROM sales
SELECT other.sum(quantity) FILTER (WHERE true) FROM sales
SELECT other.sum(DISTINCT quantity) FROM sales
SELECT "peek"()
SELECT public.peek()
SELECT * FROM peek_rows()
SELECT region FROM sales, LATERAL peek() AS p(x) UNION SELECT x FROM peek() AS p(x)
SELECT peek_at(1)
SELECT peek_row(sales) FROM sales
SELECT public.lower(region) FROM sales
SELECT region OPERATOR(public.||) region FROM sales
SELECT region <%> region FROM sales
SELECT spy_all(quantity) FROM sales
SELECT spy_all(quantity) OVER () FROM sales
SELECT $q$x$q$ || peek()
SELECT/**/marker/**/FROM/**/secret
SELECT marker FROM --comment\nsecret
SELECT x.* FROM ROWS FROM (peek_rows()) AS x
-- section: hidden
SELECT sales.peek_row FROM sales
SELECT (s).peek_row FROM sales s
SELECT s.peek_at FROM (SELECT 1 AS x) s
SELECT lower(region) FROM sales
SELECT round(quantity) FROM sales
SELECT region || region FROM sales
SELECT count(*), lower(region) FROM sales GROUP BY 2
-- section: refused
SELECT query_to_xml('SELECT * FROM secret', true, false, '')::text
SELECT pg_catalog.query_to_xml('SELECT * FROM secret', true, false, '')::text
SELECT table_to_xml('secret', true, false, '')::text
SELECT database_to_xml(true, false, '')::text
SELECT schema_to_xml('public', true, false, '')::text
SELECT region FROM sales ORDER BY (SELECT marker FROM secret) LIMIT (SELECT CASE WHEN marker LIKE 'MARKER%' THEN 1 ELSE 0 END FROM secret)
SELECT id FROM sales WHERE false UNION SELECT length(peek()) * 0 FROM sales UNION ALL SELECT 0 FROM secret WHERE false ORDER BY 1 LIMIT 0
SELECT E'\\' || (SELECT marker FROM secret) || E\''
SELECT current_setting('data_directory')
SELECT set_config('search_path', 'public', false)
SELECT pg_read_file('/etc/passwd')
SELECT pg_ls_dir('/')
SELECT pg_sleep(0)
SELECT pg_terminate_backend(0)
SELECT pg_advisory_lock(1)
SELECT lo_import('/etc/passwd')
SELECT lo_get(1)
SELECT * FROM dblink('dbname=postgres', 'SELECT 1') AS t(x integer)
SELECT nextval('x')
SELECT * FROM pg_catalog.pg_authid
SELECT * FROM pg_stats
SELECT * FROM information_schema.columns
SELECT 'secret'::regclass
SELECT '<a/>'::xml
SELECT 'x'::spy_text
SELECT CAST('x' AS public.spy_text)
SELECT current_user
SELECT version()
SELECT * INTO stolen FROM sales
SELECT * FROM sales FOR UPDATE
SELECT * FROM sales FOR SHARE
WITH gone AS (DELETE FROM sales RETURNING *) SELECT * FROM gone
WITH new AS (INSERT INTO sales (id) VALUES (9) RETURNING *) SELECT * FROM new
SELECT 1; SELECT 2
SELECT 1; DROP TABLE sales
COPY sales TO PROGRAM 'true'
COPY (SELECT * FROM sales) TO STDOUT
DO $$ BEGIN END $$
CALL something()
EXPLAIN ANALYZE SELECT * FROM sales
PREPARE p AS SELECT 1
DECLARE c CURSOR FOR SELECT * FROM sales
CREATE TABLE stolen AS SELECT * FROM sales
SELECT has_table_privilege('secret', 'select')
SELECT pg_typeof(region) FROM sales
SELECT xmlelement(name a)
SELECT $1
SELECT * FROM sales TABLESAMPLE spy (10)
LISTEN x
SHOW ALL
SELECT * FROM sales, LATERAL secret
SELECT * FROM sales, LATERAL public.secret
SELECT * FROM LATERAL secret
SELECT * FROM sales CROSS APPLY secret
SELECT * FROM sales OUTER APPLY public.secret
SELECT * FROM (secret)
SELECT * FROM (sales CROSS JOIN secret)
SELECT * FROM sales JOIN LATERAL secret ON true
SELECT * FROM sales FETCH FIRST 50 PERCENT ROWS ONLY
SELECT * FROM sales ORDER BY amount FETCH FIRST 3 ROWS WITH TIES
SELECT * FROM sales LIMIT 3 WITH TIES
SELECT * FROM sales LIMIT 1 BY region
SELECT repeat('x', 100000000)
SELECT repeat('x', quantity * 100000) FROM sales
SELECT lpad('x', 100000000, 'y')
SELECT rpad('x', year * 10000, 'y') FROM sales
SELECT format('%100000000s', 'x')
SELECT format('%*s', 100000000, 'x')
SELECT pg_catalog.repeat('x', 100000000)
SELECT region\u200bFROM\u200bsecret
SELECT region\u2060FROM\u2060secret
SELECT region\ufeffFROM\ufeffsecret
SELECT region AS a€ FROM sales
SELECT 'a\u0000b' FROM sales
SELECT '\ud800' FROM sales
SELECT lpad('x', '100000000', 'y')
SELECT repeat(repeat('x', 10000), 10000)
SELECT repeat(region, 10000) FROM sales
SELECT repeat('x', '100000000')
SELECT length(repeat(s, 10000)) FROM (SELECT repeat('x', 10000) AS s) AS t
SELECT array_fill(1, ARRAY[100000000])
