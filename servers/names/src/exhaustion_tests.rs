//! The n-th allocation fails, for every n: what was asked ends with `ENOMEM` and changes nothing, ends go on, and all works again.

use super::*;
use fallible::failing::with_only;

fn name(text: &str) -> Name {
    Name::of(text).unwrap()
}

#[test]
fn every_allocation_can_fail() {
    let (pattern, first, second) = (name("a.*"), name("a.1"), name("a.2"));
    let mut failed = 0;
    for left in 0.. {
        let mut names = Names::new();
        names.allow(5, &pattern, Right::Provide).unwrap();
        names.allow(5, &pattern, Right::Open).unwrap();
        names.bind(5, &first, 1).unwrap();
        let steps: [Result<(), Error>; 4] = with_only(left, || {
            [
                names.inherit(300, 5),
                names.allow(300, &pattern, Right::Open),
                names.bind(5, &second, 2),
                names.allow(301, &pattern, Right::Provide),
            ]
        });
        assert!(steps.iter().all(|step| matches!(step, Ok(()) | Err(Error::ENOMEM))));
        // What failed has left no trace, and what is there still works.
        assert_eq!(names.lookup(5, &first), Ok(1));
        assert_eq!(names.lookup(5, &second), if steps[2].is_ok() { Ok(2) } else { Err(Error::ENOENT) });
        let inherits = steps[0].is_ok() || steps[1].is_ok();
        assert_eq!(names.lookup(300, &first), if inherits { Ok(1) } else { Err(Error::EACCESS) });
        // Ends need no memory at all.
        with_only(0, || {
            names.forget(5);
            names.forget(300);
            names.forget(511);
        });
        names.allow(6, &pattern, Right::Provide).unwrap();
        assert_eq!(names.bind(6, &first, 3), Ok(()));
        if steps.iter().all(Result::is_ok) {
            break;
        }
        failed += 1;
    }
    assert!(failed > 4, "{failed} allocations failed");
}
