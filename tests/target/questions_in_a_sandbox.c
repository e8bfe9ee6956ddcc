// expect stdout nothing outside the sandbox was asked unseen
// timeout 60
/* Who is in a sandbox has a portal asked who may open its name: the controlling domain sees each question, and may answer itself. */
#include <pebble.h>

enum { TOKEN = 77 };
static volatile int child, questions, refuses;
static int judge_portal, ready, go;

static word judge(word client, word identity, word token)
{
    return (identity & 0xffff) == client && token == TOKEN ? 0 : -EINVAL;
}
static word answer(word value)
{
    return value + 1;
}
static word intercept(word portal, word p1, word p2, word p3, word p4, word p5)
{
    if (portal == judge_portal) {
        questions++;
        if (refuses)
            return -EBUSY;
    }
    return invoke_portal(portal, p1, p2, p3, p4, p5);
}
static int opened(int asid, int portal, char *spec)
{
    (void)asid;
    while (!child)
        yield();
    return portal_create_stub(child, portal, spec, intercept);
}
static int inside(void)
{
    int status = portal_register_asked("app.inside", "npi", answer, 0, 2, judge_portal, TOKEN);
    /* Not: what it has not opened, and what is nobody's entry point. */
    int none = portal_register_asked("app.none", "npi", answer, 0, 0, 500, TOKEN);
    sem_post(ready);
    sem_wait(go);
    return status != 0 ? 1 : none != -EPORTAL ? 2 : 0;
}
int main(void)
{
    /* A stack for each call that may be under way here at once: the question, the judge, and what the one inside waits for. */
    portal_register("app.judge", "npiii", judge, 0, 6);
    judge_portal = portal_open("app.judge");
    ready = sem_create(0), go = sem_create(0);
    portal_notify(opened);
    int made = domain_fork(intercept), status = 0;
    if (made == 0)
        exit(inside());
    child = made;
    sem_wait(ready);
    int first = portal_open("app.inside"), works = first > 0 && invoke_portal(first, 41l) == 42;
    refuses = 1;
    int second = portal_open("app.inside");
    sem_post(go);
    int ended = domain_wait(made, &status);
    if (works && second == -EBUSY && questions == 2 && ended == 0 && status == 0)
        printf("nothing outside the sandbox was asked unseen\n");
    else
        printf("%d: %d, %d, %d questions, %d\n", first, works, second, questions, status);
    return 0;
}
