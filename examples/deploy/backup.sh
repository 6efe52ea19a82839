#!/bin/sh
# Back up a staytrue server that may be running: backup.sh DATABASE DATA_FOLDER BACKUP_FOLDER
# DATABASE is a SQLite file, or a PostgreSQL URL such as postgresql:///staytrue.
set -eu
database=$1 data=$2 backup=$3
umask 077
mkdir -p "$backup"
case $database in
    postgresql:*) pg_dump --format=custom --file="$backup/database.dump" "$database" ;;
    *) python3 - "$database" "$backup/staytrue.db" <<'PYTHON'
import sqlite3, sys
# A copy of the file alone would miss what is still in its journal.
with sqlite3.connect(sys.argv[1]) as source, sqlite3.connect(sys.argv[2]) as target:
    source.backup(target)
PYTHON
    ;;
esac
# After the database: a chat that it calls finished has its folder by then.
if [ -d "$data/chats" ]; then tar -C "$data" -cf "$backup/chats.tar" chats; fi
