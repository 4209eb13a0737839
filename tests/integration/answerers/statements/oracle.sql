-- section: runs
SELECT region, SUM(amount) AS total FROM sales GROUP BY region ORDER BY total DESC FETCH FIRST 3 ROWS ONLY
SELECT TO_CHAR(sold_on, 'YYYY-MM'), TRUNC(sold_on, 'MM'), ADD_MONTHS(sold_on, 1), MONTHS_BETWEEN(SYSDATE, sold_on), LAST_DAY(sold_on), EXTRACT(YEAR FROM sold_on), TO_DATE('2024', 'YYYY') FROM sales
SELECT NVL(amount, 0), NVL2(amount, 1, 2), DECODE(region, 'North', 1, 2), COALESCE(amount, 0), CAST(amount AS NUMBER(10, 2)), TO_NUMBER('1') FROM sales
SELECT UPPER(region), INITCAP(region), SUBSTR(region, 1, 2), INSTR(region, 'a'), LENGTH(region), TRIM(region), REPLACE(region, 'a', 'b'), region || product FROM sales
SELECT LISTAGG(region, ',') WITHIN GROUP (ORDER BY region), MEDIAN(amount), STDDEV(amount), COUNT(DISTINCT region) FROM sales
SELECT region, RANK() OVER (PARTITION BY region ORDER BY amount DESC) FROM sales
SELECT amount AS größe FROM sales WHERE region <> '10 € – “x”'
-- section: refused
SELECT * FROM sales, LATERAL db.main.secret
SELECT * FROM sales CROSS APPLY secret
SELECT * FROM TABLE(secret_rows(1))
SELECT levenshtein(region, product) FROM sales
SELECT split_part(region, 'x', 1) FROM sales
SELECT secret_of(region) FROM sales
SELECT owner.upper(region) FROM sales
SELECT RPAD('x', 4000, 'x') FROM sales
SELECT * FROM sales FETCH FIRST 50 PERCENT ROWS ONLY
SELECT * FROM sales ORDER BY amount FETCH FIRST 3 ROWS WITH TIES
SELECT UTL_HTTP.REQUEST('http://example.com') FROM sales
SELECT SYS_CONTEXT('USERENV', 'SESSION_USER') FROM sales
SELECT * FROM all_tables
SELECT region\u200bFROM\u200bsecret
SELECT region\u2060FROM\u2060secret
SELECT region\ufeffFROM\ufeffsecret
SELECT region AS a€ FROM sales
SELECT 'a\u0000b' FROM sales
SELECT '\ud800' FROM sales
