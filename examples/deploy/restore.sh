#!/bin/sh
# Restore what backup.sh wrote, with the server stopped: restore.sh BACKUP_FOLDER DATABASE DATA_FOLDER
# DATABASE is a SQLite file that is not there yet, or the URL of an empty PostgreSQL database.
set -eu
backup=$1 database=$2 data=$3
umask 077
mkdir -p "$data"
case $database in
    postgresql:*) pg_restore --exit-on-error --no-owner --dbname="$database" "$backup/database.dump" ;;
    *)
        if [ -e "$database" ]; then echo "$database is there already: move it away first." >&2; exit 1; fi
        cp "$backup/staytrue.db" "$database" ;;
esac
if [ -e "$backup/chats.tar" ]; then tar -C "$data" -xf "$backup/chats.tar"; fi
