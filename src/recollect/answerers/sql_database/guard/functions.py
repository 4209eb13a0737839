"""The functions and parts of a statement that only read and compute, by dialect."""

from functools import lru_cache
from typing import Final

from sqlglot import exp

from recollect.answerers.sql_database.guard.references import built_in_names

_QUERIES: Final = (
    *(exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Subquery, exp.With, exp.CTE),
    *(exp.From, exp.Join, exp.Lateral, exp.Values, exp.Table, exp.TableAlias, exp.TableSample),
    *(exp.Pivot, exp.PivotAlias, exp.PivotAny, exp.Where, exp.Group, exp.Cube, exp.Rollup),
    *(exp.GroupingSets, exp.Having, exp.Qualify, exp.Order, exp.Ordered, exp.Limit, exp.Offset),
    *(exp.Fetch, exp.LimitOptions, exp.Distinct, exp.Window, exp.WindowSpec, exp.Filter),
    *(exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls, exp.HavingMax, exp.Alias, exp.Aliases),
    *(exp.Column, exp.Identifier, exp.Star, exp.PositionalColumn, exp.Pseudocolumn),
    *(exp.ColumnDef, exp.Var, exp.OverflowTruncateBehavior),
)
_VALUES: Final = (
    *(exp.Literal, exp.Null, exp.Boolean, exp.National, exp.RawString, exp.HexString),
    *(exp.BitString, exp.Interval, exp.IntervalSpan),
    *(exp.DataType, exp.DataTypeParam, exp.Tuple, exp.PropertyEQ, exp.Kwarg, exp.Lambda),
    *(exp.Comprehension, exp.JSON, exp.JSONKeyValue, exp.JSONPath, exp.JSONPathRoot),
    *(exp.JSONPathKey, exp.JSONPathSubscript, exp.JSONPathWildcard, exp.JSONPathSlice),
    *(exp.JSONPathRecursive, exp.JSONPathSelector, exp.JSONPathUnion, exp.JSONValue),
    exp.JSONExtractQuote,
)
_OPERATORS: Final = (
    *(exp.Paren, exp.Not, exp.Neg, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod),
    *(exp.DPipe, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.In, exp.Between),
    *(exp.NullSafeEQ, exp.NullSafeNEQ, exp.Like, exp.ILike, exp.SimilarTo, exp.Glob, exp.Escape),
    *(exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot, exp.BitwiseLeftShift),
    *(exp.BitwiseRightShift, exp.Overlaps, exp.Any, exp.All, exp.AtTimeZone, exp.FromTimeZone),
    *(exp.Bracket, exp.Slice, exp.Dot, exp.Adjacent),
)
KINDS: Final = frozenset({*_QUERIES, *_VALUES, *_OPERATORS})
"""All kinds of nodes that pass, functions apart."""
_TYPES: Final = """
    BOOLEAN BIT TINYINT SMALLINT MEDIUMINT INT BIGINT INT128 INT256 UTINYINT USMALLINT UMEDIUMINT
    UINT UBIGINT UINT128 UINT256 DECIMAL BIGDECIMAL DECIMAL32 DECIMAL64 DECIMAL128 UDECIMAL FLOAT
    DOUBLE UDOUBLE MONEY SMALLMONEY CHAR NCHAR VARCHAR NVARCHAR BPCHAR TEXT TINYTEXT MEDIUMTEXT
    LONGTEXT BINARY VARBINARY BLOB DATE DATE32 TIME TIMETZ TIME_NS DATETIME DATETIME2 DATETIME64
    SMALLDATETIME TIMESTAMP TIMESTAMPTZ TIMESTAMPLTZ TIMESTAMPNTZ TIMESTAMP_S TIMESTAMP_MS
    TIMESTAMP_NS INTERVAL YEAR UUID JSON JSONB ARRAY LIST STRUCT MAP NULL UNKNOWN
    INT4RANGE INT8RANGE NUMRANGE TSRANGE TSTZRANGE DATERANGE INET IPADDRESS
"""
TYPES: Final = frozenset(_TYPES.split())
"""The types that values may be cast to: a type of a user's own runs a function of theirs."""
_SOURCES: Final = (exp.Table, exp.Subquery, exp.Values, exp.Lateral, exp.Unnest)
_CLASSES: Final = """
    And Or Xor Case If Coalesce Nullif Nvl2 Greatest Least Exists Try DecodeCase IsNullValue
    Booland Boolor Boolnot EqualNull Cast TryCast CastToStrType Convert JSONCast Typeof Collate

    Count CountIf Sum Avg Min Max AnyValue ArgMax ArgMin First Last Median Mode Quantile
    ApproxDistinct ApproxQuantile ApproxQuantiles ApproxTopK PercentileCont PercentileDisc
    GroupConcat ArrayAgg ArrayConcatAgg ArrayUniqueAgg ArrayUnionAgg LogicalAnd LogicalOr
    BitwiseAndAgg BitwiseOrAgg BitwiseXorAgg BitwiseCount BoolxorAgg Corr CovarPop CovarSamp
    Stddev StddevPop StddevSamp Variance VariancePop Skewness Kurtosis Grouping GroupingId
    RegrAvgx RegrAvgy RegrCount RegrIntercept RegrR2 RegrSlope RegrSxx RegrSxy RegrSyy RegrValx
    RegrValy JSONArrayAgg JSONObjectAgg JSONBObjectAgg ObjectAgg Hll Minhash

    RowNumber Rank DenseRank PercentRank CumeDist Ntile Lag Lead FirstValue LastValue NthValue

    Abs Acos Acosh Asin Asinh Atan Atan2 Atanh Cbrt Ceil Cos Cosh Cot Coth Csc Csch Degrees Exp
    Factorial Floor IsInf IsNan Ln Log Nanvl Negative Pi Pow Radians Rand Rint Round SafeAdd
    SafeDivide SafeMultiply SafeNegate SafeSubtract Sec Sech Sign Sin Sinh Sqrt Tan Tanh Trunc
    WidthBucket RangeBucket ParseNumeric ToNumber ToDouble Uniform Normal

    Ascii BitLength ByteLength Chr Concat ConcatWs Contains EndsWith Format Initcap IsAscii
    JarowinklerSimilarity Left Length Levenshtein Lower Normalize NumberToStr Overlay Pad Repeat
    Replace Reverse Right Soundex Space Split SplitPart StartsWith StrPosition StringToArray
    Strtok StrtokToArray Stuff Substring SubstringIndex ToChar Translate Trim Unicode Upper
    RegexpCount RegexpExtract RegexpExtractAll RegexpFullMatch RegexpILike RegexpInstr RegexpLike
    RegexpReplace RegexpSplit RegexpSubstr MatchAgainst Hex Unhex LowerHex MD5 MD5Digest SHA SHA2
    SHA1Digest SHA2Digest FarmFingerprint CityHash64 StandardHash ToBase64 FromBase64 Encode
    Decode Uuid ParseUrl

    AddMonths ConvertTimezone CurrentDate CurrentDatetime CurrentTime CurrentTimestamp
    CurrentTimestampLTZ CurrentTimezone Date DateAdd DateBin DateDiff DateFromParts
    DateFromUnixDate DateStrToDate DateSub DateToDateStr DateToDi DateTrunc Datetime DatetimeAdd
    DatetimeDiff DatetimeSub DatetimeTrunc Day DayOfMonth DayOfWeek DayOfWeekIso DayOfYear Dayname
    DiToDate Extract FromISO8601Date FromISO8601Timestamp GenerateDateArray GenerateTimestampArray
    Hour JustifyDays JustifyHours JustifyInterval LastDay Localtime Localtimestamp MakeInterval
    Minute Month Monthname MonthsBetween NextDay ParseDatetime ParseTime PreviousDay Quarter
    Second StrToDate StrToTime StrToUnix Systimestamp Time TimeAdd TimeDiff TimeFromParts
    TimeSlice TimeStrToDate TimeStrToTime TimeStrToUnix TimeSub TimeToStr TimeToTimeStr TimeToUnix
    TimeTrunc Timestamp TimestampAdd TimestampDiff TimestampFromParts TimestampLtzFromParts
    TimestampSub TimestampTrunc TimestampTzFromParts ToDays TsOrDiToDi TsOrDsAdd TsOrDsDiff
    TsOrDsToDate TsOrDsToDateStr TsOrDsToDatetime TsOrDsToTime TsOrDsToTimestamp UnixDate
    UnixMicros UnixMillis UnixSeconds UnixToStr UnixToTime UnixToTimeStr UtcDate UtcTime
    UtcTimestamp Week WeekOfYear WeekStart Year YearOfWeek YearOfWeekIso

    Array ArrayAll ArrayAny ArrayAppend ArrayCompact ArrayConcat ArrayConstructCompact
    ArrayContainedBy ArrayContains ArrayContainsAll ArrayDistinct ArrayExcept ArrayFilter
    ArrayFirst ArrayInsert ArrayIntersect ArrayLast ArrayMax ArrayMin ArrayOverlaps ArrayPosition
    ArrayPrepend ArrayRemove ArrayRemoveAt ArrayReverse ArraySize ArraySlice ArraySort ArraySum
    ArrayToString ArraysZip Explode ExplodingGenerateSeries Flatten GenerateSeries Inline List Map
    MapCat MapContainsKey MapDelete MapFromEntries MapInsert MapKeys MapPick MapSize Posexplode
    Reduce StrToMap Struct StructExtract ToArray ToMap Transform Unnest VarMap

    CheckJson GetExtract GetIgnoreCase IsArray JSONArray JSONArrayAppend JSONArrayContains
    JSONArrayInsert JSONBContains JSONBContainsAllTopKeys JSONBContainsAnyTopKeys
    JSONBContainsTopKey JSONBDeleteAtPath JSONBExists JSONBExtract JSONBExtractScalar
    JSONBPathExists JSONBool JSONExists JSONExtract JSONExtractArray JSONExtractScalar JSONFormat
    JSONKeys JSONKeysAtDepth JSONObject JSONRemove JSONSet JSONStripNulls JSONType JSONValueArray
    LaxBool LaxFloat64 LaxInt64 LaxString ObjectInsert ParseJSON StripNullValue Int64 Float64
    String
"""
_CLASSES_OF: Final = {"duckdb": ("Columns",)}
_POSTGRES: Final = """
    abs acos acosd asin asind atan atan2 atand bit_count cbrt ceil ceiling cos cosd cot cotd
    degrees div erf erfc exp factorial floor gcd lcm ln log log10 min_scale mod pi power radians
    random random_normal round scale sign sin sind sqrt tan tand trim_scale trunc width_bucket

    ascii bit_length btrim casefold char_length character_length chr concat concat_ws convert_from
    convert_to crc32 decode encode format initcap left length lower lpad ltrim md5 normalize
    octet_length overlay parse_ident position quote_ident quote_literal quote_nullable
    regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace
    regexp_split_to_array regexp_split_to_table regexp_substr repeat replace reverse right rpad
    rtrim sha224 sha256 sha384 sha512 split_part starts_with string_agg string_to_array
    string_to_table strpos substr substring text to_ascii to_bin to_hex to_oct translate trim
    unistr upper

    phraseto_tsquery plainto_tsquery setweight strip to_tsquery to_tsvector ts_headline ts_rank
    ts_rank_cd websearch_to_tsquery tsvector_to_array numnode querytree

    age clock_timestamp date date_add date_bin date_part date_subtract date_trunc extract isfinite
    justify_days justify_hours justify_interval make_date make_interval make_time make_timestamp
    make_timestamptz now statement_timestamp timeofday timestamp timezone to_char to_date
    to_number to_timestamp transaction_timestamp

    any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop
    covar_samp cume_dist dense_rank every first_value grouping json_agg json_agg_strict
    json_arrayagg json_object_agg json_object_agg_strict json_objectagg jsonb_agg
    jsonb_agg_strict jsonb_object_agg lag last_value lead max min mode nth_value ntile
    percent_rank percentile_cont percentile_disc range_agg range_intersect_agg rank regr_avgx
    regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy row_number
    stddev stddev_pop stddev_samp sum var_pop var_samp variance

    array_append array_cat array_dims array_length array_lower array_ndims array_position
    array_positions array_prepend array_remove array_replace array_reverse array_sample
    array_shuffle array_sort array_to_string array_upper cardinality generate_series
    generate_subscripts trim_array unnest

    array_to_json json_array json_array_elements json_array_elements_text json_array_length
    json_build_array json_build_object json_each json_each_text json_exists json_extract_path
    json_extract_path_text json_object json_object_keys json_query json_scalar json_serialize
    json_strip_nulls json_to_record json_to_recordset json_typeof json_value jsonb_array_elements
    jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each
    jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object
    jsonb_object_keys jsonb_path_exists jsonb_path_match jsonb_path_query jsonb_path_query_array
    jsonb_path_query_first jsonb_pretty jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_to_record
    jsonb_to_recordset jsonb_typeof row row_to_json to_json to_jsonb

    coalesce daterange gen_random_uuid greatest int4range int8range isempty least lower_inc
    lower_inf nullif num_nonnulls num_nulls numrange range_merge tsrange tstzrange upper_inc
    upper_inf uuid_extract_timestamp uuid_extract_version uuidv4 uuidv7
"""
_DUCKDB: Final = """
    add bit_count cbrt ceil ceiling even factorial fdiv fmod gamma gcd greatest_common_divisor lcm
    least_common_multiple lgamma log10 log2 mod multiply nextafter pow random round_even
    roundbankers signbit subtract trunc xor

    array_extract bar base64 bin bit_length chr concat_ws contains damerau_levenshtein editdist3
    ends_with format format_bytes formatreadablesize formatreadabledecimalsize from_base64
    from_binary from_hex hamming hash hex instr jaccard jaro_similarity jaro_winkler_similarity
    lcase left_grapheme length_grapheme levenshtein like_escape ltrim md5 md5_number mismatches
    nfc_normalize not_like_escape ord parse_dirname parse_dirpath parse_filename parse_path
    position prefix printf regexp_escape regexp_extract regexp_extract_all regexp_full_match
    regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table right_grapheme rtrim
    sha1 sha256 split starts_with str_split str_split_regex string_split string_split_regex
    string_to_array strip_accents strlen strpos substr substring_grapheme suffix to_base to_base64
    to_binary to_hex trim translate ucase unbin unhex unicode url_decode url_encode

    age ago century current_localtime current_localtimestamp date_add date_diff date_part date_sub
    date_trunc datediff datepart datesub datetrunc dayname dayofmonth dayofweek dayofyear decade
    epoch epoch_ms epoch_ns epoch_us era get_current_time get_current_timestamp isfinite isinf
    isodow isoyear julian last_day make_date make_time make_timestamp make_timestamp_ms
    make_timestamp_ns make_timestamptz microsecond millennium millisecond minute monthname
    nanosecond now quarter second strftime strptime time_bucket timezone timezone_hour
    timezone_minute to_centuries to_days to_decades to_hours to_microseconds to_millennia
    to_milliseconds to_minutes to_months to_quarters to_seconds to_timestamp to_weeks to_years
    today transaction_timestamp try_strptime weekday weekofyear yearweek

    any_value approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null
    arg_min arg_min_null array_agg avg bit_and bit_or bit_xor bitstring_agg bool_and bool_or corr
    count_if count_star countif covar_pop covar_samp entropy favg first fsum geometric_mean geomean
    group_concat histogram kahan_sum kurtosis kurtosis_pop last list listagg mad max_by mean median
    min_by mode product quantile quantile_cont quantile_disc regr_avgx regr_avgy regr_count
    regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy reservoir_quantile sem skewness
    stddev stddev_pop stddev_samp string_agg sumkahan sum_no_overflow var_pop var_samp variance
    weighted_avg wavg

    array_aggr array_aggregate array_append array_apply array_cat array_concat array_contains
    array_cosine_distance array_cosine_similarity array_cross_product array_distance
    array_distinct array_dot_product array_filter array_grade_up array_has array_has_all
    array_has_any array_indexof array_inner_product array_intersect array_length array_pop_back
    array_pop_front array_position array_prepend array_push_back array_push_front array_reduce
    array_resize array_reverse array_reverse_sort array_select array_slice array_sort
    array_to_string array_transform array_unique array_value array_where array_zip cardinality
    element_at flatten generate_subscripts greatest len list_aggr list_aggregate list_any_value
    list_append list_apply list_approx_count_distinct list_avg list_bit_and list_bit_or
    list_bit_xor list_bool_and list_bool_or list_cat list_concat list_contains
    list_cosine_distance list_cosine_similarity list_count list_distance list_distinct
    list_dot_product list_element list_entropy list_extract list_filter list_first list_grade_up
    list_has list_has_all list_has_any list_histogram list_indexof list_inner_product
    list_intersect list_kurtosis list_last list_mad list_max list_median list_min list_mode
    list_pack list_position list_prepend list_product list_reduce list_resize list_reverse
    list_reverse_sort list_select list_sem list_skewness list_slice list_sort list_stddev_pop
    list_stddev_samp list_string_agg list_sum list_transform list_unique list_value list_var_pop
    list_var_samp list_where list_zip map map_concat map_contains map_contains_entry
    map_contains_value map_entries map_extract map_extract_value map_from_entries map_keys
    map_values range row struct_contains struct_extract struct_insert struct_pack struct_position
    union_extract union_tag union_value unnest unpivot_list

    array_to_json from_json json json_array json_array_length json_contains json_each json_exists
    json_extract json_extract_path json_extract_path_text json_extract_string json_group_array
    json_group_object json_group_structure json_keys json_merge_patch json_object json_pretty
    json_quote json_structure json_transform json_transform_strict json_tree json_type json_valid
    json_value row_to_json to_json

    coalesce constant_or_null error_if_null gen_random_uuid generate_series greatest ifnull isnan
    least nullif try typeof uuid uuidv4 uuidv7 vector_type
"""
_SQLITE: Final = """
    abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce concat
    concat_ws cos cosh count cume_dist date datetime degrees dense_rank exp first_value floor
    format glob group_concat hex if ifnull iif instr json json_array json_array_length json_each
    json_error_position json_extract json_group_array json_group_object json_insert json_object
    json_patch json_pretty json_quote json_remove json_replace json_set json_tree json_type
    json_valid jsonb jsonb_array jsonb_extract jsonb_group_array jsonb_group_object jsonb_insert
    jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set julianday lag last_value lead
    length like likelihood likely ln log log10 log2 lower ltrim max median min mod nth_value ntile
    nullif octet_length percent_rank percentile percentile_cont percentile_disc pi pow power
    printf quote radians random rank replace round row_number rtrim sign sin sinh sqrt strftime
    string_agg substr substring sum tan tanh time timediff total trim trunc typeof unhex unicode
    unixepoch unlikely upper
"""
_NAMES: Final = {
    "postgres": _POSTGRES,
    "duckdb": _DUCKDB,
    "sqlite": _SQLITE,
}


def is_source(node: exp.From | exp.Join | exp.Lateral | exp.Subquery) -> bool:
    """Whether what a node reads from is checked elsewhere: as a table, a query or a function.

    sqlglot keeps the name after LATERAL and APPLY as an identifier that is no table to it.
    """
    source = node.this
    match node:
        case exp.Lateral():
            call = source.expression if isinstance(source, exp.Dot) else source
            return isinstance(call, exp.Subquery | exp.Func)
        case exp.Subquery():
            return isinstance(source, exp.Query | exp.Table | exp.Values)
        case _:
            return isinstance(source, _SOURCES)


@lru_cache
def _classes(dialect: str) -> frozenset[type[exp.Expr]]:
    names = (*_CLASSES.split(), *_CLASSES_OF.get(dialect, ()))
    return frozenset(kind for name in names if (kind := getattr(exp, name, None)))


@lru_cache
def _names(dialect: str) -> frozenset[str]:
    listed = _NAMES.get(dialect)
    return frozenset(listed.split()) if listed else built_in_names(dialect)


def is_built_in(function: exp.Func, dialect: str) -> bool:
    """Whether a function belongs to the database itself and only computes."""
    if isinstance(function, exp.Anonymous | exp.AnonymousAggFunc):
        return function.name.lower() in _names(dialect)
    return type(function) in _classes(dialect)
