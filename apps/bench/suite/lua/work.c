#include "suite.h"
#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>

static const char program[] =
    "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end\n"
    "local t, seed = {}, 42\n"
    "for i = 1, 1500 do seed = (seed * 1103 + 12345) % 65521 t[i] = seed end\n"
    "table.sort(t)\n"
    "local words = {}\n"
    "for i = 1, 1500 do local w = 'w' .. t[i] % 97 words[w] = (words[w] or 0) + 1 end\n"
    "local sieve, count = {}, 0\n"
    "for i = 2, 6000 do if not sieve[i] then count = count + 1 for k = i * i, 6000, i do sieve[k] = true end end end\n"
    "local text = ('the quick brown fox '):rep(50):gsub('%w+', function(w) return w:upper():reverse() end)\n"
    "return table.concat({ fib(17), count, words.w5, #text, t[1], t[1500], text:sub(1, 40) }, ' ')\n";

void work(void)
{
    lua_State *state = luaL_newstate();
    luaL_openlibs(state);
    if (luaL_dostring(state, program))
        abort();
    size_t length;
    const char *text = lua_tolstring(state, -1, &length);
    suite_result(text, length);
    lua_close(state);
}
