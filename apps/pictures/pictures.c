/* The program's side: what each part is shown, the calls, and what is believed of their results. */
#include "pictures.h"

static _Alignas(4096) unsigned char regions[PICTURE_REGIONS][PICTURE_ROOM];
/* A part is called through two portals, and reads one region and writes another. */
static struct part {
    const char *component, *place, *procedure;
    enum picture_region from, to;
    int portal;
} decoder = {"decoder", "picture.decode.place", "picture.decode.do", PICTURE_FILE, PICTURE_PIXELS, 0},
  scaler = {"scaler", "picture.scale.place", "picture.scale.do", PICTURE_PIXELS, PICTURE_SCALED, 0},
  encoder = {"encoder", "picture.encode.place", "picture.encode.do", PICTURE_SCALED, PICTURE_RESULT, 0};

unsigned char *pictures_region(enum picture_region region) { return regions[region]; }

/* A portal, as soon as its part has started, or has been started again; for two seconds. */
static int opened(const char *name)
{
    int portal = -ENOENT;
    for (int tries = 0; tries < 200 && ((portal = portal_open(name)) == -ENOENT || portal == -EDEAD); tries++)
        hrsleep(10000000);
    return portal;
}
/* Shows a part its two regions, where it is a domain of protection in this space, and tells it where they are. */
static int shows(const struct part *part)
{
    int dp = dp_open(part->component), shown = 0;
    if (dp >= 0) {
        shown = dp_make_visible(dp, regions[part->from], PICTURE_ROOM, PAGE_READ);
        if (shown == 0)
            shown = dp_make_visible(dp, regions[part->to], PICTURE_ROOM, PAGE_READ | PAGE_WRITE);
        dp_close(dp);
    }
    int place = shown < 0 ? shown : opened(part->place);
    if (place < 0)
        return place;
    for (int n = part->from; n <= (int)part->to && shown == 0; n++)
        shown = (int)invoke_portal(place, regions[n], (word)PICTURE_ROOM, (word)n, regions[n]);
    portal_close(place);
    return shown;
}
static word calls(struct part *part, word a, word b, const char **who)
{
    *who = part->component;
    if (part->portal <= 0) {
        /* First the procedure: the domain whose name this was may have ended between the two. */
        int portal = opened(part->procedure), shown = portal < 0 ? portal : shows(part);
        if (shown < 0)
            return shown;
        part->portal = portal;
    }
    word result = invoke_portal(part->portal, regions[part->from], a, regions[part->to], b);
    if (result == -EDEAD) {
        portal_close(part->portal);
        part->portal = 0;
    }
    return result;
}
word picture_encode(word size, enum picture_format format)
{
    const char *who;
    word bytes = calls(&encoder, size, format, &who);
    return bytes > PICTURE_ROOM ? -EINVAL : bytes;
}
word picture_scale(word bytes, word width, enum picture_format format, word *made, const char **who)
{
    word size = calls(&decoder, bytes, PICTURE_ROOM, who);
    if (size < 0)
        return size;
    /* The decoder may say anything. */
    if (size >> 32 || picture_bytes(size) <= 0 || picture_bytes(size) > PICTURE_ROOM)
        return -EINVAL;
    word height = PICTURE_HEIGHT(size) * width / PICTURE_WIDTH(size), to = PICTURE_SIZE(width, height > 0 ? height : 1);
    *who = scaler.component;
    if (width <= 0 || picture_bytes(to) > PICTURE_ROOM)
        return -ENOSPC;
    word scaled = calls(&scaler, size, to, who);
    if (scaled < 0)
        return scaled;
    *who = encoder.component;
    *made = picture_encode(to, format);
    return *made < 0 ? *made : size;
}
