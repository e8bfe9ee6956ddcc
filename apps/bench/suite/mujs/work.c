#include "suite.h"
#include <mujs.h>
#include <stdlib.h>
#include <string.h>

static const char program[] =
    "function tree(n) { return n ? { left: tree(n - 1), right: tree(n - 1), value: n } : null; }\n"
    "function sum(t) { return t ? t.value + sum(t.left) + sum(t.right) : 0; }\n"
    "var list = [], text = '', words = {}, seed = 42;\n"
    "for (var i = 0; i < 200; i++) { seed = (seed * 1103 + 12345) % 65521; list.push(seed); text += ' w' + seed % 97; }\n"
    "list.sort(function (a, b) { return a - b; });\n"
    "text.split(/ +/).forEach(function (w) { words[w] = (words[w] || 0) + 1; });\n"
    "var primes = []; for (var n = 2; n < 500; n++) { var is = true; for (var d = 0; d < primes.length && primes[d] * primes[d] <= n; d++) if (n % primes[d] === 0) { is = false; break; } if (is) primes.push(n); }\n"
    "JSON.stringify([sum(tree(7)), list.slice(0, 20), words, primes.length, text.replace(/w1/g, 'x').length]);\n";

void work(void)
{
    js_State *state = js_newstate(NULL, NULL, 0);
    if (!state || js_ploadstring(state, "work", program))
        abort();
    js_pushundefined(state);
    if (js_pcall(state, 0))
        abort();
    const char *text = js_tostring(state, -1);
    suite_result(text, strlen(text));
    js_freestate(state);
}
