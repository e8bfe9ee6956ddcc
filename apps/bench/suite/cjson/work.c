#include "suite.h"
#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 400 };

void work(void)
{
    static char text[ITEMS * 120];
    int at = sprintf(text, "[");
    for (int n = 0; n < ITEMS; n++) {
        unsigned number = suite_random() % 100000;
        at += sprintf(text + at, "%s{\"id\": %d, \"name\": \"item \\u00e4 %u\", \"values\": [%u, -%u.5, 1e3, true, null], \"inner\": {\"k\": \"v\"}}", n ? "," : "", n, number, number, number % 100);
    }
    sprintf(text + at, "]");
    cJSON *tree = cJSON_Parse(text);
    if (!tree)
        abort();
    double sum = 0;
    cJSON *item;
    cJSON_ArrayForEach(item, tree) sum += cJSON_GetArrayItem(cJSON_GetObjectItem(item, "values"), 0)->valuedouble;
    char *printed = cJSON_Print(tree);
    suite_result(&sum, sizeof sum);
    suite_result(printed, strlen(printed));
    free(printed);
    cJSON_Delete(tree);
}
