/* The database is in memory: of its operating system it asks the time and randomness. */
#include "suite.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int randomness(sqlite3_vfs *vfs, int bytes, char *to) { return (void)vfs, memset(to, 42, (size_t)bytes), bytes; }
static int pause_for(sqlite3_vfs *vfs, int microseconds) { return (void)vfs, microseconds; }
static int now(sqlite3_vfs *vfs, double *day) { return (void)vfs, *day = 2460000.5, SQLITE_OK; }
static int nothing_opens(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    return (void)vfs, (void)name, (void)file, (void)flags, (void)out, SQLITE_CANTOPEN;
}
static int full_name(sqlite3_vfs *vfs, const char *name, int bytes, char *to)
{
    return (void)vfs, snprintf(to, (size_t)bytes, "%s", name), SQLITE_OK;
}
int sqlite3_os_init(void)
{
    static sqlite3_vfs vfs = { .iVersion = 1, .szOsFile = sizeof(sqlite3_file), .mxPathname = 64, .zName = "none", .xOpen = nothing_opens,
                               .xFullPathname = full_name, .xRandomness = randomness, .xSleep = pause_for, .xCurrentTime = now };
    return sqlite3_vfs_register(&vfs, 1);
}
int sqlite3_os_end(void) { return SQLITE_OK; }

static int row(void *p, int count, char **values, char **names)
{
    (void)p, (void)names;
    for (int n = 0; n < count; n++)
        suite_result(values[n] ? values[n] : "-", values[n] ? strlen(values[n]) : 1);
    return 0;
}
static void say(sqlite3 *database, const char *statement)
{
    if (sqlite3_exec(database, statement, row, NULL, NULL) != SQLITE_OK)
        printf("%s: %s\n", statement, sqlite3_errmsg(database)), abort();
}
void work(void)
{
    sqlite3 *database;
    if (sqlite3_open(":memory:", &database) != SQLITE_OK)
        abort();
    say(database, "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, age INT, city INT); CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT); BEGIN");
    char statement[200];
    for (int n = 0; n < 20; n++)
        say(database, (sprintf(statement, "INSERT INTO city VALUES (%d, 'city %d')", n, n * 37 % 20), statement));
    for (int n = 0; n < 200; n++) {
        unsigned r = suite_random();
        say(database, (sprintf(statement, "INSERT INTO person (name, age, city) VALUES ('n%u', %u, %u)", r % 1000, r / 1000 % 90, r / 100000 % 20), statement));
    }
    say(database, "COMMIT; CREATE INDEX by_age ON person (age)");
    say(database, "SELECT city.name, count(*), avg(age), max(person.name) FROM person JOIN city ON city.id = person.city GROUP BY city.id ORDER BY 3 DESC");
    say(database, "UPDATE person SET age = age + 1 WHERE name LIKE 'n1%'; DELETE FROM person WHERE age BETWEEN 20 AND 25");
    say(database, "SELECT a.name, b.name FROM person a, person b WHERE a.age = b.age AND a.id < b.id AND a.city = b.city ORDER BY a.name, b.name LIMIT 50");
    say(database, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) SELECT sum(i * i), group_concat(i % 7, '') FROM n");
    sqlite3_close(database);
}
