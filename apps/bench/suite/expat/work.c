#include "suite.h"
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 600, BYTES = ITEMS * 120 };
static unsigned long depth, deepest;

static void XMLCALL start(void *p, const XML_Char *name, const XML_Char **attributes)
{
    (void)p;
    suite_result(name, strlen(name));
    for (; *attributes; attributes++)
        suite_result(*attributes, strlen(*attributes));
    deepest = ++depth > deepest ? depth : deepest;
}
static void XMLCALL end(void *p, const XML_Char *name) { (void)p, (void)name, depth--; }

void work(void)
{
    static char text[BYTES];
    int at = sprintf(text, "<?xml version='1.0'?>\n<list xmlns:a='urn:a'>\n");
    for (int n = 0; n < ITEMS; n++) {
        unsigned number = suite_random() % 100000;
        at += sprintf(text + at, "<item id='%d' a:kind=\"k%u\"><b>%u &amp; more</b><!-- %d --><c x='&lt;%u'/></item>\n", n, number % 7, number, n, number);
    }
    at += sprintf(text + at, "</list>\n");
    XML_Parser parser = XML_ParserCreateNS("UTF-8", '|');
    if (!parser)
        abort();
    XML_SetElementHandler(parser, start, end);
    if (XML_Parse(parser, text, at, 1) != XML_STATUS_OK)
        abort();
    suite_result(&deepest, sizeof deepest);
    XML_ParserFree(parser);
}
