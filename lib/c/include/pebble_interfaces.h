/*
 * What the system's servers provide: the names of portals, what portal_open takes, with the specification beside, and a function for each that calls
 * it by its number. Those that every domain has need none. A result below 0 is an error. The book, "The interfaces between system
 * components", has the same by server. Written by ./pebble manual, from lib/interfaces.
 */
#ifndef PEBBLE_INTERFACES_H
#define PEBBLE_INTERFACES_H

#include <pebble.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Scheduler (servers/scheduler, masked) ---- */

/* Called once by the idle thread at boot */
#define PEBBLE_SCHEDULER_START "scheduler.start" /* sm */
static inline word pebble_scheduler_start(int through)
{
    return invoke_portal(through);
}
/* Waits until a stack of the domain is free: at most so long where that is positive (`ETIMEDOUT`); portal manager */
#define PEBBLE_SCHEDULER_STACK_WAIT "scheduler.stack_wait" /* smii */
static inline word pebble_scheduler_stack_wait(int through, int domain, word ticks)
{
    return invoke_portal(through, domain, ticks);
}
/* The first thread that waits for a stack of a domain that has ended calls again → 1; 0: nobody waits; portal manager */
#define PEBBLE_SCHEDULER_STACK_DEAD "scheduler.stack_dead" /* smi */
static inline word pebble_scheduler_stack_dead(int through, int domain)
{
    return invoke_portal(through, domain);
}
/* Those that wait for locks taken in a domain that has ended look for themselves, a few at a time, from a place on that is 1 at first → the next place; 0: that were all; portal manager */
#define PEBBLE_SCHEDULER_DOMAIN_DEAD "scheduler.domain_dead" /* smii */
static inline word pebble_scheduler_domain_dead(int through, int domain, word from)
{
    return invoke_portal(through, domain, from);
}
/* Others of its priority come first */
static inline word pebble_scheduler_yield(void)
{
    return invoke_portal(4);
}
/* The calling thread ends; 1: call again, since more wait for that than are woken at a time; portal manager */
#define PEBBLE_SCHEDULER_EXIT "scheduler.exit" /* sm */
static inline word pebble_scheduler_exit(int through)
{
    return invoke_portal(through);
}
/* Waits so long */
static inline word pebble_scheduler_sleep(word ticks)
{
    return invoke_portal(5, ticks);
}
/* 0…63, not above the thread's ceiling */
static inline word pebble_scheduler_set_priority(word priority)
{
    return invoke_portal(22, priority);
}
/* Waits until it has ended (not at all if it has) */
static inline word pebble_scheduler_join(int thread)
{
    return invoke_portal(23, thread);
}
/* Waits for the semaphore, which is the portal's constant: 0 tries (`EAGAIN`), less waits for ever, else `ETIMEDOUT` after so long */
#define PEBBLE_SCHEDULER_P "scheduler.p" /* smci */
static inline word pebble_scheduler_p(int through, word ticks)
{
    return invoke_portal(through, ticks);
}
/* Wakes the first that waits for it, or the next that will */
#define PEBBLE_SCHEDULER_V "scheduler.v" /* smc */
static inline word pebble_scheduler_v(int through)
{
    return invoke_portal(through);
}
/* `scheduler.p` with the semaphore as an argument; trusted components */
#define PEBBLE_SCHEDULER_P_ID "scheduler.p_id" /* smii */
static inline word pebble_scheduler_p_id(int through, int semaphore, word ticks)
{
    return invoke_portal(through, semaphore, ticks);
}
/* `scheduler.v` with the semaphore as an argument; trusted components */
#define PEBBLE_SCHEDULER_V_ID "scheduler.v_id" /* smi */
static inline word pebble_scheduler_v_id(int through, int semaphore)
{
    return invoke_portal(through, semaphore);
}
/* Its id, above 0; trusted components */
#define PEBBLE_SCHEDULER_SEMAPHORE_CREATE "scheduler.semaphore_create" /* smi */
static inline word pebble_scheduler_semaphore_create(int through, word value)
{
    return invoke_portal(through, value);
}
/* Waiters wake with `EDEAD`; 1: call again, since there are more than are woken at a time */
#define PEBBLE_SCHEDULER_SEMAPHORE_DESTROY "scheduler.semaphore_destroy" /* smi */
static inline word pebble_scheduler_semaphore_destroy(int through, int semaphore)
{
    return invoke_portal(through, semaphore);
}
/* A thread that is ready, by its index, with a priority (-1: the caller's own, at most the ceiling), the ceiling, and from bit 8 on the account of its home → its id; portal manager */
#define PEBBLE_SCHEDULER_ADD "scheduler.add" /* smiiii */
static inline word pebble_scheduler_add(int through, int thread, word priority, int home, word ceiling_account)
{
    return invoke_portal(through, thread, priority, home, ceiling_account);
}
/* A thread that has ended, each once; 0: none; portal manager */
#define PEBBLE_SCHEDULER_REAP "scheduler.reap" /* sm */
static inline word pebble_scheduler_reap(int through)
{
    return invoke_portal(through);
}
/* If it waits, the wait ends with `EDEAD`; portal manager */
#define PEBBLE_SCHEDULER_WAKE_DEAD "scheduler.wake_dead" /* smi */
static inline word pebble_scheduler_wake_dead(int through, int thread)
{
    return invoke_portal(through, thread);
}
/* Why (`nucleus::cancelled`; 0: not for the dead any more), and the thread's id or 0: if it waits, the wait ends with `ECANCELED`, and each later one does after a slice at most → why it is cancelled now; portal manager */
#define PEBBLE_SCHEDULER_CANCEL "scheduler.cancel" /* smiii */
static inline word pebble_scheduler_cancel(int through, int thread, word why, int id)
{
    return invoke_portal(through, thread, why, id);
}
/* Why it is cancelled, or 0; portal manager */
#define PEBBLE_SCHEDULER_CANCELLED "scheduler.cancelled" /* smi */
static inline word pebble_scheduler_cancelled(int through, int thread)
{
    return invoke_portal(through, thread);
}
/* The semaphore that it waits for without a time-out, or 0; portal manager */
#define PEBBLE_SCHEDULER_WAITING "scheduler.waiting" /* smi */
static inline word pebble_scheduler_waiting(int through, int thread)
{
    return invoke_portal(through, thread);
}
/* Whether it has not been woken since `scheduler.waiting` gave a semaphore for it; where `end` is not 0 its wait ends with `EDEAD` then; portal manager */
#define PEBBLE_SCHEDULER_END_STUCK "scheduler.end_stuck" /* smii */
static inline word pebble_scheduler_end_stuck(int through, int thread, word end)
{
    return invoke_portal(through, thread, end);
}
/* Waits for the lock with a key, its address for one, which a thread holds (0: nobody knows who), see [Time of others](time.md) → 0: it may be free; turns -1: how often locks have been let go; -2: the name of the calling thread as a holder, by which others are told of its end; `EAGAIN`, `ESRCH`, `EINVAL` (the holder is the caller), `EDEAD`, `EOWNERDEAD`. The portal's constant: most locks of one holder */
static inline word pebble_scheduler_lock_wait(word lock, word holder, word turns)
{
    return invoke_portal(35, lock, holder, turns);
}
/* The same in tables of trusted domains */
#define PEBBLE_SCHEDULER_LOCK_WAIT_TRUSTED "scheduler.lock_wait_trusted" /* smdciii */
static inline word pebble_scheduler_lock_wait_trusted(int through, word lock, word holder, word turns)
{
    return invoke_portal(through, lock, holder, turns);
}
/* The calling thread has let go of the lock with that key: of those that wait for that thread, itself or who has waited first for a holder whom nobody knows, the first of each domain wakes; 0: of those in the caller's own domain that wait for the caller, the first. Those of a trusted domain are woken from it alone */
static inline word pebble_scheduler_lock_release(word lock, int whom)
{
    return invoke_portal(36, lock, whom);
}
/* An account may have so many percent of the processor while others wait (100: all; -1: as before) → what it has had of the last 100 ms, in percent; portal manager */
#define PEBBLE_SCHEDULER_SHARE "scheduler.share" /* smii */
static inline word pebble_scheduler_share(int through, word account, word percent)
{
    return invoke_portal(through, account, percent);
}
/* `state << 48 \| priority << 32 \| home`, or `ESRCH`; states 1 running, 2 ready, 3 semaphore, 4 sleeping, 5 joining, 6 stack, 7 ended */
#define PEBBLE_SCHEDULER_INFO "scheduler.info" /* smi */
static inline word pebble_scheduler_info(int through, int thread)
{
    return invoke_portal(through, thread);
}
/* What it waits for, and how long it has run, as the scheduler's looks have found: the word of an `abi::activity::Doing`, or `ESRCH`; 1: it is looked from now on, whoever has limits; portal manager */
#define PEBBLE_SCHEDULER_DOING "scheduler.doing" /* smii */
static inline word pebble_scheduler_doing(int through, int thread, word measures)
{
    return invoke_portal(through, thread, measures);
}

/* ---- Interrupt dispatcher (servers/interrupts, masked) ---- */

/* That domain may attach to the interrupt of its device; init */
#define PEBBLE_INTERRUPT_PERMIT "interrupt.permit" /* smiii */
static inline word pebble_interrupt_permit(int through, int domain, word device, word interrupt)
{
    return invoke_portal(through, domain, device, interrupt);
}
/* The device's interrupt posts that semaphore; portal manager */
#define PEBBLE_INTERRUPT_ATTACH_FOR "interrupt.attach_for" /* smiii */
static inline word pebble_interrupt_attach_for(int through, int domain, word device, int semaphore)
{
    return invoke_portal(through, domain, device, semaphore);
}
/* Completes the device's interrupt at the controller; portal manager */
#define PEBBLE_INTERRUPT_DONE_FOR "interrupt.done_for" /* smii */
static inline word pebble_interrupt_done_for(int through, int domain, word device)
{
    return invoke_portal(through, domain, device);
}
/* Nothing is passed on to that domain any more; portal manager */
#define PEBBLE_INTERRUPT_FORGET "interrupt.forget" /* smi */
static inline word pebble_interrupt_forget(int through, int domain)
{
    return invoke_portal(through, domain);
}

/* ---- Memory manager (servers/memory, trusted) ---- */

/* The address space of a new domain, for which an account pays → its root table (supervisor half and return page in place); portal manager */
#define PEBBLE_MEMORY_SPACE_CREATE "memory.space_create" /* smii */
static inline word pebble_memory_space_create(int through, word domain, word account)
{
    return invoke_portal(through, domain, account);
}
/* An account may have so many pages; init */
#define PEBBLE_MEMORY_LIMIT "memory.limit" /* smii */
static inline word pebble_memory_limit(int through, word account, word pages)
{
    return invoke_portal(through, account, pages);
}
/* Copies the private part, its limits included; with the frames that windows show, and their number; portal manager */
#define PEBBLE_MEMORY_SPACE_COPY "memory.space_copy" /* smiiri */
static inline word pebble_memory_space_copy(int through, int from, int to, const void *frames, word count)
{
    return invoke_portal(through, from, to, frames, count);
}
/* Gives back all that is in it; portal manager */
#define PEBBLE_MEMORY_SPACE_DESTROY "memory.space_destroy" /* smi */
static inline word pebble_memory_space_destroy(int through, int domain)
{
    return invoke_portal(through, domain);
}
/* A view of a space for a new domain → its root table; portal manager */
#define PEBBLE_MEMORY_VIEW_CREATE "memory.view_create" /* smiii */
static inline word pebble_memory_view_create(int through, word domain, int space, word account)
{
    return invoke_portal(through, domain, space, account);
}
/* The view sees as much of its space as the model of that which it is a copy of; portal manager */
#define PEBBLE_MEMORY_VIEW_MODEL "memory.view_model" /* smii */
static inline word pebble_memory_view_model(int through, int view, int model)
{
    return invoke_portal(through, view, model);
}
/* The view goes, with what its domain has taken in the space; with the frames that windows show; portal manager */
#define PEBBLE_MEMORY_VIEW_DESTROY "memory.view_destroy" /* smiri */
static inline word pebble_memory_view_destroy(int through, int view, const void *frames, word count)
{
    return invoke_portal(through, view, frames, count);
}
/* Who shows, to which view and with which rights (`abi::memory::Shown`); with the frames that windows show; portal manager */
#define PEBBLE_MEMORY_VIEW_SHOW "memory.view_show" /* smiiiri */
static inline word pebble_memory_view_show(int through, word shown, word start, word bytes, const void *frames, word count)
{
    return invoke_portal(through, shown, start, bytes, frames, count);
}
/* Calls of the view's domain to its task, whose portal table is the second argument, patch pages (`abi::patch`), or (1) as many as are worth it; with the frames that windows show → the patch; portal manager */
#define PEBBLE_MEMORY_VIEW_PATCH "memory.view_patch" /* smiiiri */
static inline word pebble_memory_view_patch(int through, int view, word callee, word cheapest, const void *frames, word count)
{
    return invoke_portal(through, view, callee, cheapest, frames, count);
}
/* Service stacks become visible; portal manager */
#define PEBBLE_MEMORY_TRUST "memory.trust" /* smi */
static inline word pebble_memory_trust(int through, int domain)
{
    return invoke_portal(through, domain);
}
/* What the domain, which has no memory yet, gets is supervisor mode's; portal manager */
#define PEBBLE_MEMORY_MAKE_SUPERVISOR "memory.make_supervisor" /* smi */
static inline word pebble_memory_make_supervisor(int through, int domain)
{
    return invoke_portal(through, domain);
}
/* Maps the thread's service stack, if it is not; portal manager */
#define PEBBLE_MEMORY_SERVICE_STACK "memory.service_stack" /* smi */
static inline word pebble_memory_service_stack(int through, int thread)
{
    return invoke_portal(through, thread);
}
/* At most 8 consecutive zeroed pages in the first GiB, mapped in the portal manager at `nucleus_view`; portal manager */
#define PEBBLE_MEMORY_NUCLEUS_PAGES "memory.nucleus_pages" /* smi */
static inline word pebble_memory_nucleus_pages(int through, word count)
{
    return invoke_portal(through, count);
}
/* Takes them back; portal manager */
#define PEBBLE_MEMORY_NUCLEUS_FREE "memory.nucleus_free" /* smii */
static inline word pebble_memory_nucleus_free(int through, word first, word count)
{
    return invoke_portal(through, first, count);
}
/* More heap → the old end of it; trusted components */
#define PEBBLE_MEMORY_GROW_FOR "memory.grow_for" /* smii */
static inline word pebble_memory_grow_for(int through, int domain, word pages)
{
    return invoke_portal(through, domain, pages);
}
/* The top of a new stack with a guard page below; portal manager */
#define PEBBLE_MEMORY_STACK_FOR "memory.stack_for" /* smii */
static inline word pebble_memory_stack_for(int through, int domain, word bytes)
{
    return invoke_portal(through, domain, bytes);
}
/* Takes it back; portal manager */
#define PEBBLE_MEMORY_STACK_RELEASE "memory.stack_release" /* smii */
static inline word pebble_memory_stack_release(int through, int domain, word top)
{
    return invoke_portal(through, domain, top);
}
/* Where the domain's heap starts; init */
#define PEBBLE_MEMORY_SET_HEAP "memory.set_heap" /* smii */
static inline word pebble_memory_set_heap(int through, int domain, word start)
{
    return invoke_portal(through, domain, start);
}
/* Zeroed pages; init */
#define PEBBLE_MEMORY_MAP "memory.map" /* smiiii */
static inline word pebble_memory_map(int through, int domain, word start, word bytes, int rights)
{
    return invoke_portal(through, domain, start, bytes, rights);
}
/* Pages of the archive: its own where they are read-only, copies of those to be written; init */
#define PEBBLE_MEMORY_MAP_IMAGE "memory.map_image" /* smiiiii */
static inline word pebble_memory_map_image(int through, int domain, word start, word offset, word bytes, int rights)
{
    return invoke_portal(through, domain, start, offset, bytes, rights);
}
/* A segment of an image of the archive in place of pages that a domain of protection has taken and nobody has touched, the image being at `start`: what depends on the address is put right; init */
#define PEBBLE_MEMORY_PLACE "memory.place" /* smiiii */
static inline word pebble_memory_place(int through, int domain, word image, word segment, word start)
{
    return invoke_portal(through, domain, image, segment, start);
}
/* A copy of bytes of one page, and zeros behind them, in place of a page that a domain of protection has taken and nobody has touched; portal manager */
#define PEBBLE_MEMORY_PLACE_PAGE "memory.place_page" /* smiiiri */
static inline word pebble_memory_place_page(int through, int domain, word at, int rights, const void *from, word bytes)
{
    return invoke_portal(through, domain, at, rights, from, bytes);
}
/* Copies into mapped memory → the bytes; init */
#define PEBBLE_MEMORY_WRITE "memory.write" /* smiiri */
static inline word pebble_memory_write(int through, int domain, word to, const void *from, word bytes)
{
    return invoke_portal(through, domain, to, from, bytes);
}
/* Maps the registers of the device whose node or unit has this name → `bytes << 16 \| interrupt number`; init */
#define PEBBLE_MEMORY_MAP_DEVICE "memory.map_device" /* smiiri */
static inline word pebble_memory_map_device(int through, int domain, word device, const void *name, word length)
{
    return invoke_portal(through, domain, device, name, length);
}
/* Eight pages for a device of the manifest entry, by the number of their chunk: see [Drivers](network.md); `EACCESS` (no such device), `EINVAL`, `ENOMEM`, `ENFILE`; drivers */
#define PEBBLE_MEMORY_DMA "memory.dma" /* smaii */
static inline word pebble_memory_dma(int through, word device, word chunk)
{
    return invoke_portal(through, device, chunk);
}
/* Pages: 0: of RAM, 1: free ones, 2: of a domain, 3: promised, 4 and 5: that an account has, and may have; shell, init and portal manager */
#define PEBBLE_MEMORY_INFO "memory.info" /* smii */
static inline word pebble_memory_info(int through, word what, word of)
{
    return invoke_portal(through, what, of);
}
/* 0, or minus (kind · 2¹⁶ + domain) of what does not hold of the page tables (`servers/memory/src/invariants.rs`), or `EAGAIN`; portal manager */
#define PEBBLE_MEMORY_CHECK "memory.check" /* sm */
static inline word pebble_memory_check(int through)
{
    return invoke_portal(through);
}
/* Whether a window slot has this entry (0: not touched yet), `EFAULT`: it has not, and its lender the page that the call lends there, `EACCESS`; portal manager */
#define PEBBLE_MEMORY_WINDOW "memory.window" /* smiiiii */
static inline word pebble_memory_window(int through, int domain, word slot, word mapped, word shown, int lender)
{
    return invoke_portal(through, domain, slot, mapped, shown, lender);
}
/* Open window slots; portal manager */
#define PEBBLE_MEMORY_WINDOWS "memory.windows" /* smi */
static inline word pebble_memory_windows(int through, int domain)
{
    return invoke_portal(through, domain);
}
/* Closes the windows of a domain that has ended; portal manager */
#define PEBBLE_MEMORY_WINDOWS_CLOSE "memory.windows_close" /* smi */
static inline word pebble_memory_windows_close(int through, int domain)
{
    return invoke_portal(through, domain);
}
/* Faults of the client in a range (0 bytes: everywhere) are answered by a portal of the memory manager's that leads to `pager`; portal manager */
#define PEBBLE_MEMORY_PAGER_FOR "memory.pager_for" /* smiiiii */
static inline word pebble_memory_pager_for(int through, word client, word start, word bytes, word portal, word pager)
{
    return invoke_portal(through, client, start, bytes, portal, pager);
}
/* No more → the portal's number; portal manager */
#define PEBBLE_MEMORY_PAGER_REMOVE "memory.pager_remove" /* smii */
static inline word pebble_memory_pager_remove(int through, word client, word start)
{
    return invoke_portal(through, client, start);
}
/* A domain that has ended is neither; portal manager */
#define PEBBLE_MEMORY_PAGER_FORGET "memory.pager_forget" /* smi */
static inline word pebble_memory_pager_forget(int through, word ended)
{
    return invoke_portal(through, ended);
}
/* Whether that portal is about to be called by the memory manager, or was and has not returned; portal manager */
#define PEBBLE_MEMORY_PAGER_PENDING "memory.pager_pending" /* smi */
static inline word pebble_memory_pager_pending(int through, word portal)
{
    return invoke_portal(through, portal);
}
/* So many seconds have gone by → the identity of a domain whose pager has taken too long, and how it ends; 2: somebody waits for an answer; 0; portal manager */
#define PEBBLE_MEMORY_PAGER_OVERDUE "memory.pager_overdue" /* smiw */
static inline word pebble_memory_pager_overdue(int through, word seconds, void *how)
{
    return invoke_portal(through, seconds, how);
}
/* What `page_map` does (`abi::memory::Replacement`); portal manager */
#define PEBBLE_MEMORY_PAGE_FOR "memory.page_for" /* smiiiii */
static inline word pebble_memory_page_for(int through, word by, word client, word at, word source, word with)
{
    return invoke_portal(through, by, client, at, source, with);
}
/* The same, with who does it for whom (`abi::memory::Parties`) and the frames that windows show; portal manager */
#define PEBBLE_MEMORY_PAGE_AMONG "memory.page_among" /* smiiiiri */
static inline word pebble_memory_page_among(int through, word parties, word at, word source, word with, const void *frames, word count)
{
    return invoke_portal(through, parties, at, source, with, frames, count);
}
/* A segment of a fault domain's of that domain begins there (`abi::memory::NEW_SEGMENT`); portal manager */
#define PEBBLE_MEMORY_SEGMENT_FOR "memory.segment_for" /* smii */
static inline word pebble_memory_segment_for(int through, int domain, word base)
{
    return invoke_portal(through, domain, base);
}
/* The frame that the domain has to itself there; portal manager */
#define PEBBLE_MEMORY_FRAME_OF "memory.frame_of" /* smii */
static inline word pebble_memory_frame_of(int through, int domain, word at)
{
    return invoke_portal(through, domain, at);
}
/* What was shared or moved for a call of the thread that is not made comes back; portal manager */
#define PEBBLE_MEMORY_UNDO_TRANSFERS "memory.undo_transfers" /* smi */
static inline word pebble_memory_undo_transfers(int through, int thread)
{
    return invoke_portal(through, thread);
}

/* ---- Portal manager (servers/portals, trusted) ---- */

/* A portal of the caller's, under a name or, without one, under the number that comes back: see [C](c.md) */
static inline word pebble_portal_register(const void *registration)
{
    return invoke_portal(11, registration);
}
/* Takes a name of the caller's away: nobody opens it any more */
static inline word pebble_portal_unregister(const void *name)
{
    return invoke_portal(12, name);
}
/* Who may open a name of the caller's (`abi::system::admission`): a domain, all, or whom the portal with that number admits, which is asked with the token */
static inline word pebble_portal_admit(const void *name, int domain, word how, word token)
{
    return invoke_portal(37, name, domain, how, token);
}
/* A portal of that name → its number in the caller's table */
static inline word pebble_portal_open(const void *name)
{
    return invoke_portal(13, name);
}
/* Closes it */
static inline word pebble_portal_close(int portal)
{
    return invoke_portal(14, portal);
}
/* Puts a portal into the table of a domain that the caller interposes on */
static inline word pebble_portal_create_child(const void *child)
{
    return invoke_portal(15, child);
}
/* The entry point that is called after each new portal in the caller's table, with its number; 0: none */
static inline word pebble_portal_notify(word entry)
{
    return invoke_portal(16, entry);
}
/* Name and specification of a portal in the caller's table, which its number leads to, or nowhere, until the thread asks about another or the caller closes it */
static inline word pebble_portal_info(int portal, void *description)
{
    return invoke_portal(17, portal, description);
}
/* For a server: makes portals to itself in the table of the caller that it serves → the first one's number there */
static inline word pebble_portal_grant(const void *grant)
{
    return invoke_portal(30, grant);
}
/* How many portals that the caller has granted with that constant are still in a table */
static inline word pebble_portal_granted(word constant)
{
    return invoke_portal(31, constant);
}
/* A constant with which the caller has granted portals, none of which is left; each once. `EAGAIN`: there is none */
static inline word pebble_portal_gone(void)
{
    return invoke_portal(34);
}
/* For a server: the first thread, by index, above `after` that is in a call of it → that index, or 0 */
static inline word pebble_portal_callers(int after, void *caller)
{
    return invoke_portal(33, after, caller);
}
/* Code for a letter of the caller's specifications, and the entry for its faults: see [Argument templates](templates.md); trusted servers */
#define PEBBLE_PORTAL_TEMPLATE "portal.template" /* smtri */
static inline word pebble_portal_template(int through, const void *template_, word entry)
{
    return invoke_portal(through, template_, entry);
}
/* Code that may end calls of a portal of the caller's before they enter it; trusted servers */
#define PEBBLE_PORTAL_SHORT_CIRCUIT "portal.short_circuit" /* smtr */
static inline word pebble_portal_short_circuit(int through, const void *code)
{
    return invoke_portal(through, code);
}
/* Two domains, or one and 0, lend no pages until they are thawed. `EDEAD`: one is no more, and none is kept from anything; memory manager */
#define PEBBLE_PORTAL_FREEZE "portal.freeze" /* smii */
static inline word pebble_portal_freeze(int through, word one, word other)
{
    return invoke_portal(through, one, other);
}
/* They may lend again; memory manager */
#define PEBBLE_PORTAL_THAW "portal.thaw" /* smii */
static inline word pebble_portal_thaw(int through, word one, word other)
{
    return invoke_portal(through, one, other);
}
/* Which of at most 62 frames windows show → bit n for frame n; memory manager */
#define PEBBLE_PORTAL_SHOWN "portal.shown" /* smri */
static inline word pebble_portal_shown(int through, const void *frames, word count)
{
    return invoke_portal(through, frames, count);
}
/* A thread that starts at `entry` with `argument` in `a0`; priority -1: the caller's own, at most the manifest's → its id */
static inline word pebble_thread_create(word entry, word sp, word argument, word priority)
{
    return invoke_portal(3, entry, sp, argument, priority);
}
/* Ends the calling thread, and with its last thread a domain that provides nothing */
static inline word pebble_thread_exit(void)
{
    return invoke_portal(2);
}
/* Ends a thread in the graveyard; the graveyard's entry 2 */
#define PEBBLE_THREAD_BURY "thread.bury" /* smt */
static inline word pebble_thread_bury(int through)
{
    return invoke_portal(through);
}
/* A thread in the graveyard goes on to whoever called the dead domain; the graveyard's entry 1 */
#define PEBBLE_THREAD_LEAVE "thread.leave" /* smt */
static inline word pebble_thread_leave(int through)
{
    return invoke_portal(through);
}
/* The wait of a thread of the caller's ends with `ECANCELED`, wherever it waits, and so does each later one after a time slice at most */
static inline word pebble_thread_cancel(int id)
{
    return invoke_portal(32, id);
}
/* P and V of a new semaphore as two consecutive portals → the first one's number */
static inline word pebble_semaphore_create(word value)
{
    return invoke_portal(9, value);
}
/* Both go; waiters wake with `EDEAD` */
static inline word pebble_semaphore_destroy(int semaphore)
{
    return invoke_portal(10, semaphore);
}
/* Each interrupt of the caller's device posts the semaphore once, until `interrupt.done` */
static inline word pebble_interrupt_attach(word device, int semaphore)
{
    return invoke_portal(26, device, semaphore);
}
/* Lets the next interrupt of the device come */
static inline word pebble_interrupt_done(word device)
{
    return invoke_portal(27, device);
}
/* More heap → the old end of it */
static inline word pebble_memory_grow(word pages)
{
    return invoke_portal(21, pages);
}
/* A new stack above a guard page → its top */
static inline word pebble_memory_stack(word bytes)
{
    return invoke_portal(25, bytes);
}
/* `entry` answers the faults of a domain, the caller's own or its child, in a range (0 bytes: in all others); 0 ends that */
static inline word pebble_memory_pager(int domain, word start, word bytes, word entry)
{
    return invoke_portal(28, domain, start, bytes, entry);
}
/* A copy of the caller's page at `source`, or of zeros where that is 0, for such a domain, or init's for any; without rights: none */
static inline word pebble_memory_page(int domain, word at, word source, int rights)
{
    return invoke_portal(29, domain, at, source, rights);
}

/* ---- Domains (servers/portals, trusted) ---- */

/* The calling domain ends */
static inline word pebble_domain_exit(word status)
{
    return invoke_portal(1, status);
}
/* A copy of the caller, with one thread at `pc` on `sp`; `intercept`: where all its portals lead, or one of `abi::system::fork` → its number */
static inline word pebble_domain_fork(word intercept, word pc, word sp)
{
    return invoke_portal(18, intercept, pc, sp);
}
/* Waits until that child ends */
static inline word pebble_domain_wait(int domain, void *how)
{
    return invoke_portal(19, domain, how);
}
/* Ends a child */
static inline word pebble_domain_kill(int domain)
{
    return invoke_portal(20, domain);
}
/* The thread pointer of entries on a queued stack; with `abi::system::TP_IS_THREAD`, the thread's number in each, of who is not trusted */
static inline word pebble_domain_set_tp(word tp)
{
    return invoke_portal(24, tp);
}
/* A domain with the portals that every domain has, and no thread → its identity; init */
#define PEBBLE_DOMAIN_CREATE "domain.create" /* smtr */
static inline word pebble_domain_create(int through, const void *domain)
{
    return invoke_portal(through, domain);
}
/* What an account may take from now on; init */
#define PEBBLE_DOMAIN_LIMITS "domain.limits" /* smir */
static inline word pebble_domain_limits(int through, word account, const void *limits)
{
    return invoke_portal(through, account, limits);
}
/* That domain, which does not run yet, is to take the place of another: names that both provide stay the other's before it does. `EBUSY`: there is one that does so already, or either has to do with a replacement; `EINVAL`: it has registered something; `EACCESS`; `ESRCH`; init */
#define PEBBLE_DOMAIN_SUCCEED "domain.succeed" /* smtii */
static inline word pebble_domain_succeed(int through, word successor, word predecessor)
{
    return invoke_portal(through, successor, predecessor);
}
/* Has it do so: all portals to the other lead to it from now on, under the numbers that they have, and so do the names. Else nothing has changed, and the window says what is in the way: `ENOENT`: a portal that is in use, or, with 1, that the other has registered, and that the successor lacks; `EINVAL`: one of another specification; `EBUSY`: one that is bound to the other; `EEXIST`: a name that is somebody else's by now; `EDEAD`: the other has ended; init */
#define PEBBLE_DOMAIN_TAKE_OVER "domain.take_over" /* smtiiw */
static inline word pebble_domain_take_over(int through, word successor, word all, void *refused)
{
    return invoke_portal(through, successor, all, refused);
}
/* Calls of a domain that has ended, and whose portals heal (`NewDomain::heals`), go to that domain, which does not run yet, as soon as it registers their names; 0: nobody takes its place, and they end with `EDEAD`. The domain may be one that was to take another's place, and has ended. `ESRCH`: no calls wait for it; `EACCESS`; `EINVAL`: it has registered something; init */
#define PEBBLE_DOMAIN_INHERIT "domain.inherit" /* smtii */
static inline word pebble_domain_inherit(int through, word heir, word of)
{
    return invoke_portal(through, heir, of);
}
/* One of `abi::system::gate`, of a domain and of the *heir* that is to take its place and does not run yet: calls into the first wait, and are made as before; or it ends, and they are the heir's as soon as that has registered their names. The window says what is in the way, or is awaited. `EBUSY`: something that is bound to the domain, or either has to do with a replacement; `EINVAL`: the heir has registered something; `ESRCH`: one has ended, or the gate is open, as it is two seconds after the first call has come to it; `EACCESS`; init */
#define PEBBLE_DOMAIN_GATE "domain.gate" /* smtiiiw */
static inline word pebble_domain_gate(int through, word of, word heir, word what, void *name)
{
    return invoke_portal(through, of, heir, what, name);
}
/* How many threads are in calls that a domain serves; init */
#define PEBBLE_DOMAIN_SERVED "domain.served" /* smti */
static inline word pebble_domain_served(int through, word domain)
{
    return invoke_portal(through, domain);
}
/* A thread in a domain that `domain.create` has made, with `argument` in `a0` → its id; init */
#define PEBBLE_DOMAIN_START "domain.start" /* smtiiiii */
static inline word pebble_domain_start(int through, int domain, word entry, word sp, word argument, word priority)
{
    return invoke_portal(through, domain, entry, sp, argument, priority);
}
/* Waits until some domain ends; init */
#define PEBBLE_DOMAIN_EVENT "domain.event" /* smtw */
static inline word pebble_domain_event(int through, void *how)
{
    return invoke_portal(through, how);
}
/* Ends any domain, by its number, or by its identity (`inspect.domain`), which is nobody's (`ESRCH`) once that one is gone; init and shell */
#define PEBBLE_DOMAIN_DESTROY "domain.destroy" /* smti */
static inline word pebble_domain_destroy(int through, word domain)
{
    return invoke_portal(through, domain);
}
/* A domain did what it may not: ends it. With the cause, the address, where, and the domain of the pager that did not answer, or 0; memory manager */
#define PEBBLE_DOMAIN_FAULT "domain.fault" /* smtiiiii */
static inline word pebble_domain_fault(int through, word domain, word cause, word address, word pc, int pager)
{
    return invoke_portal(through, domain, cause, address, pc, pager);
}
/* A new [domain of protection](protection.md) in the caller's task → its handle */
#define PEBBLE_PROTECTION_CREATE "protection.create" /* smtr */
static inline word pebble_protection_create(int through, const void *name)
{
    return invoke_portal(through, name);
}
/* The component of that name, which is a domain of protection in the caller's task → its handle */
#define PEBBLE_PROTECTION_OPEN "protection.open" /* smtr */
static inline word pebble_protection_open(int through, const void *name)
{
    return invoke_portal(through, name);
}
/* A new domain of protection in the task of a [delegation](protection.md#delegation) → its handle */
#define PEBBLE_PROTECTION_MAKE "protection.make" /* smtir */
static inline word pebble_protection_make(int through, int delegation, const void *name)
{
    return invoke_portal(through, delegation, name);
}
/* A copy of bytes of one page, and zeros behind them, in place of a page that the handle's domain has taken and nobody has touched */
#define PEBBLE_PROTECTION_PLACE "protection.place" /* smtiiiri */
static inline word pebble_protection_place(int through, int handle, word at, int rights, const void *from, word bytes)
{
    return invoke_portal(through, handle, at, rights, from, bytes);
}
/* One of `abi::protection::operation` on a handle, with three words: an entry point, a connection, visibility, a portal passed or withdrawn, the end */
#define PEBBLE_PROTECTION_OPERATE "protection.operate" /* smtiiiii */
static inline word pebble_protection_operate(int through, int handle, word operation, word first, word second, word third)
{
    return invoke_portal(through, handle, operation, first, second, third);
}
/* The number of the account of a domain, or, for identity 0, of who has called the service; services */
#define PEBBLE_ACCOUNT_OF "account.of" /* smti */
static inline word pebble_account_of(int through, word domain)
{
    return invoke_portal(through, domain);
}
/* Charges an account for what a service keeps for it. `ENFILE`, `ENOMEM`; services */
#define PEBBLE_ACCOUNT_CHARGE "account.charge" /* smtiii */
static inline word pebble_account_charge(int through, word account, word resource, word amount)
{
    return invoke_portal(through, account, resource, amount);
}
/* Gives back what the service itself has charged; services */
#define PEBBLE_ACCOUNT_REFUND "account.refund" /* smtiii */
static inline word pebble_account_refund(int through, word account, word resource, word amount)
{
    return invoke_portal(through, account, resource, amount);
}

/* ---- Inspection (servers/portals, trusted) ---- */

/* A domain. `ESRCH`; shell */
#define PEBBLE_INSPECT_DOMAIN "inspect.domain" /* smtiw */
static inline word pebble_inspect_domain(int through, int domain, void *out)
{
    return invoke_portal(through, domain, out);
}
/* A portal of a domain's table, or, with domain 0, what was registered with that number: `ENOENT`, `EPORTAL` from the highest on; shell */
#define PEBBLE_INSPECT_PORTAL "inspect.portal" /* smtiiw */
static inline word pebble_inspect_portal(int through, int domain, int number, void *out)
{
    return invoke_portal(through, domain, number, out);
}
/* Its code → how many words; shell */
#define PEBBLE_INSPECT_CODE "inspect.code" /* smtiiw */
static inline word pebble_inspect_code(int through, int domain, int number, void *out)
{
    return invoke_portal(through, domain, number, out);
}
/* How many there are of everything, after taking back what nobody needs; shell and tests */
#define PEBBLE_INSPECT_COUNTS "inspect.counts" /* smtw */
static inline word pebble_inspect_counts(int through, void *out)
{
    return invoke_portal(through, out);
}
/* A domain's [counters](counters.md), a page. `ENOENT`: the system counts nothing; shell, web console and tests */
#define PEBBLE_INSPECT_CALLS "inspect.calls" /* smtiw */
static inline word pebble_inspect_calls(int through, int domain, void *out)
{
    return invoke_portal(through, domain, out);
}
/* 1: [traces](tracing.md) the portals of a name, 0: ends that → connections generated anew. `ENOENT`; shell and tests */
#define PEBBLE_INSPECT_TRACE "inspect.trace" /* smtri */
static inline word pebble_inspect_trace(int through, const void *name, word wanted)
{
    return invoke_portal(through, name, wanted);
}
/* Events of the trace from that number on, a page. `ENOENT`: nothing was ever traced; shell and tests */
#define PEBBLE_INSPECT_TRACED "inspect.traced" /* smtiw */
static inline word pebble_inspect_traced(int through, word from, void *out)
{
    return invoke_portal(through, from, out);
}
/* What the first thread does whose index is that or higher → its index, or `ESRCH`; 1: its calls are marked, which a first component may do (`EACCESS`); shell, and `init` */
#define PEBBLE_INSPECT_THREAD "inspect.thread" /* smtiiw */
static inline word pebble_inspect_thread(int through, int from, word mark, void *out)
{
    return invoke_portal(through, from, mark, out);
}
/* What an account has taken, and its limits; shell and tests */
#define PEBBLE_INSPECT_ACCOUNT "inspect.account" /* smtiw */
static inline word pebble_inspect_account(int through, word account, void *out)
{
    return invoke_portal(through, account, out);
}
/* The first thing found that must not be. `EAGAIN`; interrupts are off meanwhile, so `ENOTSUP` but in systems with `checks = true`; tests */
#define PEBBLE_INSPECT_CHECK "inspect.check" /* smtw */
static inline word pebble_inspect_check(int through, void *out)
{
    return invoke_portal(through, out);
}

/* ---- Name server (servers/names, trusted) ---- */

/* Gives a registration a name; `EACCESS` (not in `provides`), `EEXIST`; portal manager */
#define PEBBLE_NAMES_BIND "names.bind" /* smiri */
static inline word pebble_names_bind(int through, int domain, const void *name, word registration)
{
    return invoke_portal(through, domain, name, registration);
}
/* The registration of that name; `EACCESS` (not in `opens`; looked at first), `ENOENT`; portal manager */
#define PEBBLE_NAMES_LOOKUP "names.lookup" /* smir */
static inline word pebble_names_lookup(int through, int domain, const void *name)
{
    return invoke_portal(through, domain, name);
}
/* Takes a name away; `ENOENT`, `EACCESS` (another's); portal manager */
#define PEBBLE_NAMES_UNBIND "names.unbind" /* smir */
static inline word pebble_names_unbind(int through, int domain, const void *name)
{
    return invoke_portal(through, domain, name);
}
/* Has a name that is bound lead to that registration of that domain, whose ever it was; `EACCESS` (not in `provides`), `ENOENT`; portal manager */
#define PEBBLE_NAMES_REBIND "names.rebind" /* smiri */
static inline word pebble_names_rebind(int through, int domain, const void *name, word registration)
{
    return invoke_portal(through, domain, name, registration);
}
/* What matches the pattern (`*` at its end matches any rest), the domain may open (right 0) or provide (1); init */
#define PEBBLE_NAMES_ALLOW "names.allow" /* smiri */
static inline word pebble_names_allow(int through, int domain, const void *pattern, word right)
{
    return invoke_portal(through, domain, pattern, right);
}
/* The child may what the parent may; portal manager */
#define PEBBLE_NAMES_INHERIT "names.inherit" /* smii */
static inline word pebble_names_inherit(int through, int child, int parent)
{
    return invoke_portal(through, child, parent);
}
/* Forgets a domain's rules and names; portal manager */
#define PEBBLE_NAMES_FORGET "names.forget" /* smi */
static inline word pebble_names_forget(int through, int domain)
{
    return invoke_portal(through, domain);
}

/* ---- Init (servers/init, trusted) ---- */

/* Starts a component of the system as init's own, by a command line: words separated by blanks → its domain */
#define PEBBLE_INIT_SPAWN "init.spawn" /* smri */
static inline word pebble_init_spawn(int through, const void *command, word length)
{
    return invoke_portal(through, command, length);
}
/* Loads a component for the caller (`lib/abi/src/spawn.rs`: its name, arguments, variables, and the streams that the caller hands over) → its domain's identity, which does not run yet; `EBUSY`: its account has so many that do not run yet as its share is; `EDEAD`: the caller has ended */
#define PEBBLE_INIT_LOAD "init.load" /* smdri */
static inline word pebble_init_load(int through, const void *request, word length)
{
    return invoke_portal(through, request, length);
}
/* Lets a domain run that the caller has loaded; `ESRCH` */
#define PEBBLE_INIT_START "init.start" /* smdi */
static inline word pebble_init_start(int through, word domain)
{
    return invoke_portal(through, domain);
}
/* The name of component n of the system; `ENOENT` */
#define PEBBLE_INIT_COMPONENTS "init.components" /* smiw */
static inline word pebble_init_components(int through, word n, void *name)
{
    return invoke_portal(through, n, name);
}
/* Stops the machine */
#define PEBBLE_INIT_HALT "init.halt" /* smi */
static inline word pebble_init_halt(int through, word status)
{
    return invoke_portal(through, status);
}
/* The disk has so many pages for components, which are shared out from now on; each account's part and the number that what it has bears on the disk (`lib/abi/src/account.rs`). For who has the file system */
#define PEBBLE_INIT_DISK "init.disk" /* smiw */
static inline word pebble_init_disk(int through, word pages, void *parts)
{
    return invoke_portal(through, pages, parts);
}
/* Of that file of the image the bytes from an offset on that fit in the rest of the window's page → how many; offset `usize::MAX`: its path, 0-terminated. `ENOENT`; files */
#define PEBBLE_INIT_FILE "init.file" /* smiiw */
static inline word pebble_init_file(int through, word number, word offset, void *to)
{
    return invoke_portal(through, number, offset, to);
}
/* A line of the caller in the system log, up to 8 since it was started, of up to 256 printable bytes; `EACCESS` for others. A panic is said there. Every component may open what begins with `init.own` */
#define PEBBLE_INIT_OWN_LOG "init.own.log" /* smdri */
static inline word pebble_init_own_log(int through, const void *text, word length)
{
    return invoke_portal(through, text, length);
}
/* The caller takes these signals from now on, bit 2 for number 2. Those that were sent to it before still come. `EACCESS`: it is no component */
#define PEBBLE_INIT_OWN_SIGNALS "init.own.signals" /* smdi */
static inline word pebble_init_own_signals(int through, word signals)
{
    return invoke_portal(through, signals);
}
/* Waits for a signal that is sent to the caller → its number; each is kept once until then. `EACCESS` as above, `EBUSY`: another thread of it waits, `ECANCELED`, `ENOMEM` */
#define PEBBLE_INIT_OWN_SIGNAL "init.own.signal" /* smd */
static inline word pebble_init_own_signal(int through)
{
    return invoke_portal(through);
}
/* Sends a domain, or the main component's where that is 0, signal 1 to 63. A number alone is whoever has it now. `ESRCH`: it does not take that one, and what becomes of it then is the sender's matter */
#define PEBBLE_INIT_SIGNAL "init.signal" /* smii */
static inline word pebble_init_signal(int through, word domain, word number)
{
    return invoke_portal(through, domain, number);
}
/* Bytes of the system log from an offset on, as many as fit in the rest of the window's page → how many */
#define PEBBLE_INIT_LINES "init.lines" /* smiw */
static inline word pebble_init_lines(int through, word from, void *to)
{
    return invoke_portal(through, from, to);
}
/* Has a component that runs as init's own succeeded by a new instance of it, or by another component, while it is called: a command line of one name or two → the new domain. Where it is refused, the window says which portal is in the way, and nothing has changed: `ENOENT`: one in use that the new one lacks, and `ETIMEDOUT`, if it does after 10 s; `EINVAL`: one of another specification; `EBUSY`: one that is bound to the old one. `ESRCH`: it does not run; `ENOTSUP`: it is a first component, the main one, or has a device; `EBUSY`: it is being replaced; `EDEAD`: it has ended; `ECANCELED`: the new one has */
#define PEBBLE_INIT_REPLACE "init.replace" /* smriw */
static inline word pebble_init_replace(int through, const void *command, word length, void *refused)
{
    return invoke_portal(through, command, length, refused);
}
/* Waits until something has happened to a component since its state was that, which `usize::MAX` is not, at most so many ticks of `hrtime` → its state now (`lib/abi/src/supervision.rs`): whether it runs, and how often it was started. `ENOENT`: there is no such component, or it is one of the first; `EBUSY`: four threads of the caller's account wait; `ETIMEDOUT`; `ECANCELED`; `ENOMEM` */
#define PEBBLE_INIT_WATCH "init.watch" /* smdriii */
static inline word pebble_init_watch(int through, const void *name, word length, word seen, word ticks)
{
    return invoke_portal(through, name, length, seen, ticks);
}
/* A component that has failed and waits to be started again is not started; `ESRCH`: it does not wait */
#define PEBBLE_INIT_GIVE_UP "init.give_up" /* smri */
static inline word pebble_init_give_up(int through, const void *name, word length)
{
    return invoke_portal(through, name, length);
}
/* The end of that domain (`inspect.domain` has its identity) does not start its component again; `ESRCH`: init has not started it, or it has ended */
#define PEBBLE_INIT_LET_END "init.let_end" /* smi */
static inline word pebble_init_let_end(int through, word domain)
{
    return invoke_portal(through, domain);
}

/* ---- Images of components (servers/init, trusted) ---- */

/* The caller hands over an update's file (`lib/update`) of so many bytes; what was begun before, and what was to be next, is forgotten. `EINVAL`: none is so long; `ENOSPC`: with what there is that is more than there is room for; `ENOMEM` */
#define PEBBLE_IMAGES_BEGIN "images.begin" /* smdi */
static inline word pebble_images_begin(int through, word bytes)
{
    return invoke_portal(through, bytes);
}
/* The next bytes of it. `ENOENT`: the caller has begun none; `EINVAL`: they are more than it said */
#define PEBBLE_IMAGES_ADD "images.add" /* smdri */
static inline word pebble_images_add(int through, const void *bytes, word length)
{
    return invoke_portal(through, bytes, length);
}
/* It is whole, and what its component is to have next; who gives it vouches for it. `EINVAL`: it is none, or is kept apart otherwise than the component; `ENOENT`: there is no such component; `ENOTSUP`: it is one of the first, or has no image of its own; `EACCESS`: the update opens more than the component may; `ENOMEM` */
#define PEBBLE_IMAGES_PUT "images.put" /* smd */
static inline word pebble_images_put(int through)
{
    return invoke_portal(through);
}
/* The component is to have what it had before the last time, which was that version; `ENOENT`: it was not, or that is not known */
#define PEBBLE_IMAGES_BEFORE "images.before" /* smrii */
static inline word pebble_images_before(int through, const void *name, word length, word version)
{
    return invoke_portal(through, name, length, version);
}
/* The component is to have the system's own image; `ENOENT` */
#define PEBBLE_IMAGES_OWN "images.own" /* smri */
static inline word pebble_images_own(int through, const void *name, word length)
{
    return invoke_portal(through, name, length);
}
/* A component has what it is to have next, whenever it is started from now on; if it runs, it is replaced by it while it is called → its new domain, 0: it does not run. `ENOENT`: nothing is to be next; as `init.replace`, and then it has what it had */
#define PEBBLE_IMAGES_APPLY "images.apply" /* smw */
static inline word pebble_images_apply(int through, void *refused)
{
    return invoke_portal(through, refused);
}
/* The image that the component has, and what has become of it. `ENOENT` */
#define PEBBLE_IMAGES_STATE "images.state" /* smriw */
static inline word pebble_images_state(int through, const void *name, word length, void *out)
{
    return invoke_portal(through, name, length, out);
}

/* ---- Clock driver (drivers/clock) ---- */

/* The time, in nanoseconds since 1970; `EIO`: the device has no interrupt */
#define PEBBLE_CLOCK_TIME "clock.time" /* nm */
static inline word pebble_clock_time(int through)
{
    return invoke_portal(through);
}
/* Waits until that time, by the clock's own interrupt; `EBUSY` when three wait; `ECANCELED` */
#define PEBBLE_CLOCK_ALARM "clock.alarm" /* nmi */
static inline word pebble_clock_alarm(int through, word time)
{
    return invoke_portal(through, time);
}

/* ---- Setting the clock (drivers/clock, where its argument is settable) ---- */

/* The time of day is that from now on; who waits for a time that it is then, or was before, is woken. `EINVAL`: it is before 1970 */
#define PEBBLE_TIME_SET "time.set" /* npi */
static inline word pebble_time_set(int through, word time)
{
    return invoke_portal(through, time);
}

/* ---- Console driver (drivers/console) ---- */

/* Writes bytes of one page → how many; no bytes: waits until all that was written has left the device */
#define PEBBLE_CONSOLE_WRITE "console.write" /* nmcri */
static inline word pebble_console_write(int through, const void *buffer, word bytes)
{
    return invoke_portal(through, buffer, bytes);
}
/* The same to standard error */
#define PEBBLE_CONSOLE_ERROR "console.error" /* nmcri */
static inline word pebble_console_error(int through, const void *buffer, word bytes)
{
    return invoke_portal(through, buffer, bytes);
}
/* Bytes of a line, in one page (with echo, erase, Ctrl-D for the end of input) → how many; `EBUSY` when three readers wait; `ECANCELED`. No bytes → 1 where nobody types, as the host's streams are a program's */
#define PEBBLE_CONSOLE_READ "console.read" /* nmcwi */
static inline word pebble_console_read(int through, void *buffer, word bytes)
{
    return invoke_portal(through, buffer, bytes);
}
/* The same key by key, without echo; no bytes: keys are taken so from now on (`console.read` of no bytes: they are not) */
#define PEBBLE_CONSOLE_RAW "console.raw" /* nmcwi */
static inline word pebble_console_raw(int through, void *buffer, word bytes)
{
    return invoke_portal(through, buffer, bytes);
}
/* Whether a reader would not wait → bit 0: there is input (a line, or with 1 a key), or its end; bits 1 and 2: nobody takes standard output, standard error */
#define PEBBLE_CONSOLE_READY "console.ready" /* nmci */
static inline word pebble_console_ready(int through, word raw)
{
    return invoke_portal(through, raw);
}
/* Waits for Ctrl-C, Ctrl-Z or Ctrl-\\ while keys are not taken raw → that key; who began last gets it, and one that is pressed before who got the last has come back is kept for that; `EBUSY`, `ECANCELED` */
#define PEBBLE_CONSOLE_ATTENTION "console.attention" /* nm */
static inline word pebble_console_attention(int through)
{
    return invoke_portal(through);
}

/* ---- Files (services/files) ---- */

/* With flags (`lib/abi/src/file.rs`) → the first of four portals: read `smcwi`, write `smcri`, seek `smcii`, control `smcdiw` */
#define PEBBLE_FILES_OPEN "files.open" /* smri */
static inline word pebble_files_open(int through, const void *path, word flags)
{
    return invoke_portal(through, path, flags);
}
/* What that domain has handed over to the caller as that stream, once → the first of four portals; `ENOENT`; `EINVAL`: a number alone is nobody */
#define PEBBLE_FILES_INHERIT "files.inherit" /* smdii */
static inline word pebble_files_inherit(int through, word starter, word stream)
{
    return invoke_portal(through, starter, stream);
}
/* A pipe → the first portal of the reading side, and 2¹⁶ times that of the writing side */
#define PEBBLE_FILES_PIPE "files.pipe" /* sm */
static inline word pebble_files_pipe(int through)
{
    return invoke_portal(through);
}
/* Takes a file's name away; it goes with the last that has it open. `ENOENT`, `EISDIR` */
#define PEBBLE_FILES_UNLINK "files.unlink" /* smr */
static inline word pebble_files_unlink(int through, const void *path)
{
    return invoke_portal(through, path);
}
/* Makes a directory. `EEXIST`, `ENOENT`, `ENOTDIR` */
#define PEBBLE_FILES_MKDIR "files.mkdir" /* smr */
static inline word pebble_files_mkdir(int through, const void *path)
{
    return invoke_portal(through, path);
}
/* Takes an empty directory away. `ENOTEMPTY`, `ENOTDIR`, `EBUSY` */
#define PEBBLE_FILES_RMDIR "files.rmdir" /* smr */
static inline word pebble_files_rmdir(int through, const void *path)
{
    return invoke_portal(through, path);
}
/* Gives a file or directory another name, in place of what had that */
#define PEBBLE_FILES_RENAME "files.rename" /* smrr */
static inline word pebble_files_rename(int through, const void *path, const void *new_)
{
    return invoke_portal(through, path, new_);
}
/* What is there. `ENOENT`, `ENOTDIR` */
#define PEBBLE_FILES_STATUS "files.status" /* smrw */
static inline word pebble_files_status(int through, const void *path, void *status)
{
    return invoke_portal(through, path, status);
}

/* ---- File system (services/disk) ---- */

/* As `files.open`; the four portals are `npcwi`, `npcri`, `npcii`, `npcdiw` */
#define PEBBLE_DISK_OPEN "disk.open" /* npri */
static inline word pebble_disk_open(int through, const void *path, word flags)
{
    return invoke_portal(through, path, flags);
}
/* As `files.unlink` */
#define PEBBLE_DISK_UNLINK "disk.unlink" /* npr */
static inline word pebble_disk_unlink(int through, const void *path)
{
    return invoke_portal(through, path);
}
/* As `files.rename` */
#define PEBBLE_DISK_RENAME "disk.rename" /* nprr */
static inline word pebble_disk_rename(int through, const void *path, const void *new_)
{
    return invoke_portal(through, path, new_);
}
/* As `files.mkdir` */
#define PEBBLE_DISK_MKDIR "disk.mkdir" /* npr */
static inline word pebble_disk_mkdir(int through, const void *path)
{
    return invoke_portal(through, path);
}
/* As `files.rmdir` */
#define PEBBLE_DISK_RMDIR "disk.rmdir" /* npr */
static inline word pebble_disk_rmdir(int through, const void *path)
{
    return invoke_portal(through, path);
}
/* As `files.status` */
#define PEBBLE_DISK_STATUS "disk.status" /* nprw */
static inline word pebble_disk_status(int through, const void *path, void *status)
{
    return invoke_portal(through, path, status);
}
/* The same, but of a link it is the link */
#define PEBBLE_DISK_LINK_STATUS "disk.link_status" /* nprw */
static inline word pebble_disk_link_status(int through, const void *path, void *status)
{
    return invoke_portal(through, path, status);
}
/* The path of a symbolic link: as many bytes of it as there is room for → how many it has. `EINVAL`: it is no link */
#define PEBBLE_DISK_READ_LINK "disk.read_link" /* nprwi */
static inline word pebble_disk_read_link(int through, const void *path, void *to, word room)
{
    return invoke_portal(through, path, to, room);
}
/* Makes a symbolic link that leads to `target`. `EEXIST` */
#define PEBBLE_DISK_MAKE_LINK "disk.make_link" /* nprr */
static inline word pebble_disk_make_link(int through, const void *target, const void *path)
{
    return invoke_portal(through, target, path);
}
/* All that was written lasts when it is over */
#define PEBBLE_DISK_SYNC "disk.sync" /* np */
static inline word pebble_disk_sync(int through)
{
    return invoke_portal(through);
}
/* KiB: 0: that there are, 1: that are free */
#define PEBBLE_DISK_SPACE "disk.space" /* npi */
static inline word pebble_disk_space(int through, word which)
{
    return invoke_portal(through, which);
}

/* ---- Disk (drivers/block) ---- */

/* Reads whole sectors, at most 28 KiB, into pages that follow each other. `EIO`: the disk says that it failed; `EINVAL`: there are no such sectors */
#define PEBBLE_BLOCK_READ "block.read" /* npiWi */
static inline word pebble_block_read(int through, word sector, void *buffer, word bytes)
{
    return invoke_portal(through, sector, buffer, bytes);
}
/* Writes them */
#define PEBBLE_BLOCK_WRITE "block.write" /* npiRi */
static inline word pebble_block_write(int through, word sector, const void *buffer, word bytes)
{
    return invoke_portal(through, sector, buffer, bytes);
}
/* All that was written lasts when it is over */
#define PEBBLE_BLOCK_FLUSH "block.flush" /* np */
static inline word pebble_block_flush(int through)
{
    return invoke_portal(through);
}
/* How many sectors there are */
#define PEBBLE_BLOCK_SIZE "block.size" /* np */
static inline word pebble_block_size(int through)
{
    return invoke_portal(through);
}

/* ---- Network card (drivers/network) ---- */

/* Sends a frame → for how many more there is room; `EAGAIN` */
#define PEBBLE_NETWORK_SEND "network.send" /* npri */
static inline word pebble_network_send(int through, const void *frame, word bytes)
{
    return invoke_portal(through, frame, bytes);
}
/* Waits for frames, with a buffer of one to eight pages → bytes of records; 0: there is room to send again; `EBUSY` when another waits */
#define PEBBLE_NETWORK_RECEIVE "network.receive" /* npWi */
static inline word pebble_network_receive(int through, void *buffer, word bytes)
{
    return invoke_portal(through, buffer, bytes);
}
/* The card's address, its first byte lowest */
#define PEBBLE_NETWORK_ADDRESS "network.address" /* np */
static inline word pebble_network_address(int through)
{
    return invoke_portal(through);
}

/* ---- TCP/IP (services/internet) ---- */

/* A socket of a kind (`lib/abi/src/internet.rs`) → the first of four portals: read `npcwi`, write `npcri`, seek `npcii`, control `npcdiw` */
#define PEBBLE_INTERNET_SOCKET "internet.socket" /* npdi */
static inline word pebble_internet_socket(int through, word kind)
{
    return invoke_portal(through, kind);
}
/* Waits until one of a list of `Interest`s is ready, so long at most → how many are */
#define PEBBLE_INTERNET_POLL "internet.poll" /* npdWii */
static inline word pebble_internet_poll(int through, void *list, word bytes, word milliseconds)
{
    return invoke_portal(through, list, bytes, milliseconds);
}
/* What name servers say of the name of a machine, among addresses of a family (4, 6; 0: both); `ENOENT`: there is none; `ETIMEDOUT`: no server can say now; `EAGAIN` */
#define PEBBLE_INTERNET_RESOLVE "internet.resolve" /* npdriw */
static inline word pebble_internet_resolve(int through, const void *name, word family, void *found)
{
    return invoke_portal(through, name, family, found);
}
/* Addresses, and how much there is of everything */
#define PEBBLE_INTERNET_STATUS "internet.status" /* npw */
static inline word pebble_internet_status(int through, void *configuration)
{
    return invoke_portal(through, configuration);
}

/* ---- Source of random bytes (drivers/entropy) ---- */

/* Fills so many bytes of one page → all of them */
#define PEBBLE_ENTROPY_READ "entropy.read" /* npwi */
static inline word pebble_entropy_read(int through, void *buffer, word bytes)
{
    return invoke_portal(through, buffer, bytes);
}

/* ---- Capability manager (services/capabilities, trusted) ---- */

/* One of the caller's own making → its name */
#define PEBBLE_CAPABILITY_CREATE "capability.create" /* smdiii */
static inline word pebble_capability_create(int through, word object, word rights, word flags)
{
    return invoke_portal(through, object, rights, flags);
}
/* A weaker one → its name */
#define PEBBLE_CAPABILITY_REDUCE "capability.reduce" /* smdiii */
static inline word pebble_capability_reduce(int through, word name, word rights, word flags)
{
    return invoke_portal(through, name, rights, flags);
}
/* Takes back all that was derived from it → how many */
#define PEBBLE_CAPABILITY_REVOKE "capability.revoke" /* smdi */
static inline word pebble_capability_revoke(int through, word name)
{
    return invoke_portal(through, name);
}
/* The caller lets go of it */
#define PEBBLE_CAPABILITY_DROP "capability.drop" /* smdi */
static inline word pebble_capability_drop(int through, word name)
{
    return invoke_portal(through, name);
}
/* What it is: name, rights, flags, issuer's domain, object */
#define PEBBLE_CAPABILITY_INFO "capability.info" /* smdiw */
static inline word pebble_capability_info(int through, word name, void *info)
{
    return invoke_portal(through, name, info);
}
/* The same without the object of capability n of a domain; `ENOENT`; shell */
#define PEBBLE_CAPABILITY_LIST "capability.list" /* smiiw */
static inline word pebble_capability_list(int through, int domain, word n, void *info)
{
    return invoke_portal(through, domain, n, info);
}

/* ---- Linker (services/linker) ---- */

/* Begins an extension's file of so many bytes; what its account has begun before is forgotten. `EINVAL`: no extension is so long; `ENOMEM` */
#define PEBBLE_LINKER_BEGIN "linker.begin" /* npdi */
static inline word pebble_linker_begin(int through, word bytes)
{
    return invoke_portal(through, bytes);
}
/* The next bytes of the file that the caller has begun, which lie in one page. `ENOENT`: it has begun none; `EINVAL`: they are more than it said; `ENOMEM` */
#define PEBBLE_LINKER_ADD "linker.add" /* npdri */
static inline word pebble_linker_add(int through, const void *bytes, word length)
{
    return invoke_portal(through, bytes, length);
}
/* Links it into a component that is a host of extensions, by the name that this has as one → its number, which no other ever has. `EACCESS`: it is refused; `EINVAL`: it does not fit the component; in both the request says why. `ENOENT`: there is no file, no such host, or it has ended; `ENOMEM`; `ENFILE`: the host has as many as it may; `EBUSY`: the host has not answered another; `ETIMEDOUT`: it has not answered, and nothing is linked in */
#define PEBBLE_LINKER_LINK "linker.link" /* npdw */
static inline word pebble_linker_link(int through, void *request)
{
    return invoke_portal(through, request);
}
/* Takes the extension of that number out, whoever has linked it in: nobody is in it when this returns. `ENOENT`: it is not linked in; `EBUSY`, `ETIMEDOUT` as above: it may be taken out later */
#define PEBBLE_LINKER_UNLINK "linker.unlink" /* npi */
static inline word pebble_linker_unlink(int through, word number)
{
    return invoke_portal(through, number);
}
/* The extension in place n of those that were linked in, or that were taken out lately for what they did. `ENOENT` behind the last */
#define PEBBLE_LINKER_LINKED "linker.linked" /* npiw */
static inline word pebble_linker_linked(int through, word n, void *out)
{
    return invoke_portal(through, n, out);
}

/* ---- Updates (services/updates) ---- */

/* Begins an update's file of so many bytes; what its account has begun before is forgotten. `EINVAL`: none is so long; `ENOMEM` */
#define PEBBLE_UPDATES_BEGIN "updates.begin" /* npdi */
static inline word pebble_updates_begin(int through, word bytes)
{
    return invoke_portal(through, bytes);
}
/* The next bytes of the file that the caller has begun, which lie in one page. `ENOENT`: it has begun none; `EINVAL`: they are more than it said; `ENOMEM` */
#define PEBBLE_UPDATES_ADD "updates.add" /* npdri */
static inline word pebble_updates_add(int through, const void *bytes, word length)
{
    return invoke_portal(through, bytes, length);
}
/* The component of that name has it from now on: it is replaced while it is called, kept on the disk, and on trial. `EACCESS`: nobody has signed it who may, or it opens more than the component may; `EINVAL`: it is none, of another component, for another system, or kept apart otherwise; `EEXIST`: an older version, or the same; `ENOENT`: there is no file, or no such component; `ENOTSUP`: it has no image of its own; as `init.replace`, and as to write a file; in each case nothing has changed, and the request says why */
#define PEBBLE_UPDATES_UPDATE "updates.update" /* npdw */
static inline word pebble_updates_update(int through, void *request)
{
    return invoke_portal(through, request);
}
/* The component has what it had before its update. `ENOENT`: it has none; as `init.replace` */
#define PEBBLE_UPDATES_TAKE_BACK "updates.take_back" /* npw */
static inline word pebble_updates_take_back(int through, void *request)
{
    return invoke_portal(through, request);
}
/* What component n has of those that have an update. `ENOENT` behind the last; `EAGAIN`: that is not known yet, the system has just started */
#define PEBBLE_UPDATES_KEPT "updates.kept" /* npiw */
static inline word pebble_updates_kept(int through, word n, void *out)
{
    return invoke_portal(through, n, out);
}

#ifdef __cplusplus
}
#endif
#endif
