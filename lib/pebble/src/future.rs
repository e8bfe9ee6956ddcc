//! Portals as futures. A portal call is a procedure call on the caller's own thread, so what is awaited is made by another thread of this
//! domain, which wakes the task. Any executor runs them; [`block_on`] runs one, and the package `executor` many on one thread.

use crate::sync::{Mutex, Semaphore};
use crate::thread::{self, JoinHandle};
use alloc::sync::Arc;
use alloc::task::Wake;
use core::future::Future;
use core::pin::{Pin, pin};
use core::task::{Context, Poll, Waker};

/// What the task and the thread that makes the call share.
struct Shared<T> {
    result: Option<T>,
    /// There is or was one.
    done: bool,
    task: Option<Waker>,
}
/// A call that another thread makes. When it is dropped before its result is there, what the call waits for ends with `ECANCELED`.
pub struct Call<T> {
    shared: Arc<Mutex<Shared<T>>>,
    thread: JoinHandle,
}
/// Has another thread make `call`. `ENOMEM`, `ENFILE`: there is none.
///
/// It costs a thread more than the call, which has the caller's priority. What it lends must be its own, for the server may have it
/// longer than the task waits: so `call` borrows nothing.
pub fn of<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> crate::Result<Call<T>> {
    let shared = Arc::new(Mutex::new(Shared { result: None, done: false, task: None }));
    let its = Arc::clone(&shared);
    let thread = thread::spawn(None, move || {
        let result = call();
        let task = {
            let mut shared = its.lock();
            (shared.result, shared.done) = (Some(result), true);
            shared.task.take()
        };
        // Nothing is left to be dropped by a thread that ends.
        drop(its);
        if let Some(task) = task {
            task.wake();
        }
    })?;
    Ok(Call { shared, thread })
}
/// What is ready `ticks` of `hrtime` from now.
pub fn after(ticks: u64) -> crate::Result<Call<()>> {
    of(move || crate::time::sleep(ticks))
}
impl<T> Future for Call<T> {
    type Output = T;
    fn poll(self: Pin<&mut Self>, context: &mut Context) -> Poll<T> {
        let mut shared = self.shared.lock();
        match shared.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                shared.task = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
impl<T> Drop for Call<T> {
    fn drop(&mut self) {
        let (done, _task) = {
            let mut shared = self.shared.lock();
            (shared.done, shared.task.take())
        };
        // Its thread may have come to its end meanwhile, and then this says that there is none.
        if !done {
            let _ = self.thread.cancel();
        }
    }
}

struct Post(Semaphore);
impl Wake for Post {
    fn wake(self: Arc<Self>) {
        // It is there as long as a waker is.
        let _ = self.0.post();
    }
}
/// Runs a future on this thread, which sleeps while there is nothing to do. An error is that of the semaphore that it sleeps on.
pub fn block_on<F: Future>(future: F) -> crate::Result<F::Output> {
    let mut future = pin!(future);
    let post = Arc::new(Post(Semaphore::new(0)?));
    let waker = Waker::from(Arc::clone(&post));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut context) {
            return Ok(result);
        }
        post.0.wait()?;
    }
}
