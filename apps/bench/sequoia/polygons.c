/* The untrusted functions: see polygons.h. */
#include "polygons.h"

enum { INVALID = -22, MOST_CORNERS = OPERAND_VALUES / 2 };

/* Twice the area of the triangle a, b, c; negative: they lie clockwise. */
static int64_t turn(struct corner a, struct corner b, struct corner c)
{
    return (int64_t)(b.x - a.x) * (c.y - a.y) - (int64_t)(b.y - a.y) * (c.x - a.x);
}
static int64_t size(const struct corner *corners, long count)
{
    int64_t twice = 0;
    for (long n = 0, last = count - 1; n < count; last = n++)
        twice += (int64_t)corners[last].x * corners[n].y - (int64_t)corners[n].x * corners[last].y;
    return (twice < 0 ? -twice : twice) / 2;
}
/* Whether a ray from the point crosses an odd number of sides. */
static int contains(const struct corner *corners, long count, struct corner point)
{
    int inside = 0;
    for (long n = 0, last = count - 1; n < count; last = n++) {
        struct corner a = corners[last], b = corners[n];
        if ((a.y > point.y) != (b.y > point.y) && (turn(a, b, point) > 0) == (b.y > a.y))
            inside = !inside;
    }
    return inside;
}
static int sides_cross(struct corner a, struct corner b, struct corner c, struct corner d)
{
    return (turn(a, b, c) > 0) != (turn(a, b, d) > 0) && (turn(c, d, a) > 0) != (turn(c, d, b) > 0);
}
static int overlaps(const struct corner *corners, long count, const int32_t *box)
{
    struct corner low = corners[0], high = corners[0];
    for (long n = 1; n < count; n++) {
        low.x = corners[n].x < low.x ? corners[n].x : low.x;
        low.y = corners[n].y < low.y ? corners[n].y : low.y;
        high.x = corners[n].x > high.x ? corners[n].x : high.x;
        high.y = corners[n].y > high.y ? corners[n].y : high.y;
    }
    if (low.x > box[2] || high.x < box[0] || low.y > box[3] || high.y < box[1])
        return 0;
    struct corner around[4] = {{box[0], box[1]}, {box[2], box[1]}, {box[2], box[3]}, {box[0], box[3]}};
    for (long n = 0, last = count - 1; n < count; last = n++) {
        struct corner c = corners[n];
        if (c.x >= box[0] && c.x <= box[2] && c.y >= box[1] && c.y <= box[3])
            return 1;
        for (int side = 0; side < 4; side++)
            if (sides_cross(corners[last], c, around[side], around[(side + 1) & 3]))
                return 1;
    }
    return contains(corners, count, around[0]);
}
static int in_circle(const struct corner *corners, long count, const int32_t *circle)
{
    int64_t most = (int64_t)circle[2] * circle[2];
    for (long n = 0; n < count; n++) {
        int64_t x = corners[n].x - circle[0], y = corners[n].y - circle[1];
        if (x * x + y * y > most)
            return 0;
    }
    return 1;
}
/* A number at `at`, and what is behind it; NULL: there is none. */
static const char *number(const char *at, const char *end, int32_t *value)
{
    int minus = at < end && *at == '-', digits = 0;
    uint32_t magnitude = 0;
    for (at += minus; at < end && *at >= '0' && *at <= '9' && digits < 9; at++, digits++)
        magnitude = magnitude * 10 + (*at - '0');
    *value = minus ? -(int32_t)magnitude : (int32_t)magnitude;
    return digits ? at : 0;
}
static long parse(const char *text, long bytes, struct operand *to)
{
    const char *end = text + bytes;
    long count = 0;
    for (; text < end; count++) {
        if (count == MOST_CORNERS || !(text = number(text, end, &to->values[2 * count])) || text == end || *text++ != ' ' ||
            !(text = number(text, end, &to->values[2 * count + 1])) || (text < end && *text++ != ','))
            return INVALID;
        while (text < end && *text == ' ')
            text++;
    }
    if (count < 3)
        return INVALID;
    return to->bytes = 8 * count;
}
static long make_box(struct operand *operand)
{
    int32_t x = operand->values[0], y = operand->values[1], half = operand->values[2] / 2;
    int32_t *box = operand->values;
    box[0] = x - half, box[1] = y - half, box[2] = x + half, box[3] = y + half;
    return operand->bytes = 16;
}
long polygon_function(long function, const void *polygon, long bytes, struct operand *operand)
{
    static const unsigned char needs[POLYGON_FUNCTIONS] = {0, 0, 16, 12, 8, 12};
    const struct corner *corners = polygon;
    long count = bytes / 8;
    if (function < 0 || function >= POLYGON_FUNCTIONS || operand->bytes < needs[function])
        return INVALID;
    if (function == POLYGON_PARSE)
        return parse(polygon, bytes, operand);
    if (function == POLYGON_MAKE_BOX)
        return make_box(operand);
    if (count < 3 || count > MOST_CORNERS)
        return INVALID;
    switch (function) {
    case POLYGON_SIZE: return size(corners, count);
    case POLYGON_OVERLAPS: return overlaps(corners, count, operand->values);
    case POLYGON_IN_CIRCLE: return in_circle(corners, count, operand->values);
    default: return contains(corners, count, (struct corner){operand->values[0], operand->values[1]});
    }
}
