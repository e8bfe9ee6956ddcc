/* Queries 6, 7, 8 and 10 of Sequoia 2000 in SQLite, whose polygons are untrusted functions: `database WAY POLYGONS POINTS`. Prints for each
   query its instructions (cycles of the core), calls of untrusted functions, rows, and a sum of what they were. */
#include "crossings.h"
#include "data.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };

static sqlite3 *database;
static unsigned long rows;
static uint64_t sum;

static unsigned long cycles(void)
{
    unsigned long now;
    __asm__ volatile("rdcycle %0" : "=r"(now) : : "memory");
    return now;
}
static void __attribute__((noreturn)) fail(const char *what)
{
    printf("%s: %s\n", what, sqlite3_errmsg(database));
    exit(1);
}
/* FNV-1a. */
static void add(const void *bytes, size_t count)
{
    for (const unsigned char *p = bytes; count--; p++)
        sum = (sum ^ *p) * 0x100000001b3;
}

/* An untrusted function, as SQL has it. */
static const struct function {
    const char *name;
    long number;
    int arguments; /* the polygon, or the text, if it takes one; a box, or numbers */
    int takes_polygon, makes_bytes;
} functions[] = {
    {"polygon", POLYGON_PARSE, 1, 1, 1},        {"size", POLYGON_SIZE, 1, 1, 0},         {"overlaps", POLYGON_OVERLAPS, 2, 1, 0},
    {"in_circle", POLYGON_IN_CIRCLE, 4, 1, 0}, {"contains", POLYGON_CONTAINS, 3, 1, 0}, {"make_box", POLYGON_MAKE_BOX, 3, 0, 1},
};
static void apply(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct operand *operand = crossing_operand();
    const struct function *function = sqlite3_user_data(context);
    const void *polygon = NULL;
    long bytes = 0;
    int n = 0;
    operand->bytes = 0;
    if (function->takes_polygon) {
        polygon = sqlite3_value_type(values[0]) == SQLITE_BLOB ? sqlite3_value_blob(values[0]) : sqlite3_value_text(values[0]);
        bytes = sqlite3_value_bytes(values[0]);
        n = 1;
    }
    for (; n < count; n++) {
        if (sqlite3_value_type(values[n]) == SQLITE_BLOB && sqlite3_value_bytes(values[n]) <= 16) {
            memcpy(operand->values, sqlite3_value_blob(values[n]), sqlite3_value_bytes(values[n]));
            operand->bytes = sqlite3_value_bytes(values[n]);
        } else {
            operand->values[operand->bytes / 4] = sqlite3_value_int(values[n]);
            operand->bytes += 4;
        }
    }
    long result = crossing_call(function->number, polygon, bytes);
    if (result < 0)
        sqlite3_result_error(context, "the polygon's function failed", -1);
    else if (function->makes_bytes)
        sqlite3_result_blob(context, operand->values, (int)(result > (long)sizeof operand->values ? sizeof operand->values : result), SQLITE_TRANSIENT);
    else
        sqlite3_result_int64(context, result);
}

static int row(void *unused, int count, char **values, char **names)
{
    (void)unused, (void)names, rows++;
    for (int n = 0; n < count; n++)
        add(values[n] ? values[n] : "-", values[n] ? strlen(values[n]) : 1);
    return 0;
}
static void say(const char *statement)
{
    if (sqlite3_exec(database, statement, row, NULL, NULL) != SQLITE_OK)
        fail(statement);
}
static void generate(int polygons, int points)
{
    char text[TEXT];
    sqlite3_stmt *polygon, *point;
    data_begin();
    say("BEGIN; CREATE TABLE polygon (landuse INT, location BLOB); CREATE TABLE point (name TEXT, x INT, y INT)");
    if (sqlite3_prepare_v2(database, "INSERT INTO polygon VALUES (?, polygon(?))", -1, &polygon, NULL) ||
        sqlite3_prepare_v2(database, "INSERT INTO point VALUES (?, ?, ?)", -1, &point, NULL))
        fail("prepare");
    for (int n = 0; n < polygons; n++) {
        sqlite3_bind_int(polygon, 1, (int)data_below(LANDUSES));
        data_polygon(text, sizeof text);
        sqlite3_bind_text(polygon, 2, text, -1, SQLITE_STATIC);
        if (sqlite3_step(polygon) != SQLITE_DONE || sqlite3_reset(polygon))
            fail("a polygon");
    }
    for (int n = 0; n < points; n++) {
        snprintf(text, sizeof text, "point %d", n);
        sqlite3_bind_text(point, 1, text, -1, SQLITE_STATIC);
        sqlite3_bind_int(point, 2, (int)data_below(REGION));
        sqlite3_bind_int(point, 3, (int)data_below(REGION));
        if (sqlite3_step(point) != SQLITE_DONE || sqlite3_reset(point))
            fail("a point");
    }
    sqlite3_finalize(polygon);
    sqlite3_finalize(point);
    say("COMMIT");
}

static const struct query {
    const char *name, *statement;
} queries[] = {
    /* All polygons that a rectangle meets, as a new table. */
    {"6", "CREATE TABLE six AS SELECT * FROM polygon WHERE overlaps(location, make_box(1000000, 1000000, 400000))"},
    /* All of more than a size that lie in a circle. */
    {"7", "SELECT landuse, hex(location) FROM polygon WHERE size(location) > 200000000 AND in_circle(location, 900000, 900000, 600000)"},
    /* The land use in a square of 50 km around a place of that name. */
    {"8", "SELECT landuse, hex(location) FROM polygon, point WHERE name = 'point 17' AND overlaps(location, make_box(x, y, 50000))"},
    /* The names of all points in polygons of one land use, as a new table. */
    {"10", "CREATE TABLE ten AS SELECT name FROM point, polygon WHERE landuse = 7 AND contains(location, x, y)"},
};
int main(int argc, char **argv)
{
    if (argc < 4 || crossing_choose(argv[1]) < 0)
        return 1;
    if (sqlite3_open_v2("sequoia.db", &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "unix-dotfile") != SQLITE_OK)
        fail("sequoia.db");
    for (const struct function *f = functions; f < functions + sizeof functions / sizeof *functions; f++)
        sqlite3_create_function(database, f->name, f->arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC, (void *)f, apply, NULL, NULL);
    generate(atoi(argv[2]), atoi(argv[3]));
    for (const struct query *query = queries; query < queries + sizeof queries / sizeof *queries; query++) {
        rows = crossing_calls = crossing_cycles = 0;
        sum = 0xcbf29ce484222325;
        unsigned long start = cycles();
        say(query->statement);
        unsigned long took = cycles() - start;
        unsigned long calls = crossing_calls, inside = crossing_cycles;
        if (!strcmp(query->name, "6"))
            say("SELECT landuse, hex(location) FROM six");
        if (!strcmp(query->name, "10"))
            say("SELECT name FROM ten");
        printf("query %s %lu %lu %lu %lu %016llx\n", query->name, took, calls, inside, rows, (unsigned long long)sum);
    }
    sqlite3_close(database);
    return 0;
}
