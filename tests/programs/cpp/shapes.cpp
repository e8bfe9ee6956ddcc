// Classes, virtual functions, constructors before main, destructors behind it, and an object from the heap.
#include <pebble.h>

struct Shape {
    virtual int area() const = 0;
    virtual ~Shape() {}
};
struct Square : Shape {
    int side;
    explicit Square(int side) : side(side) {}
    int area() const override { return side * side; }
};
struct Spoken {
    Spoken() { puts("before main"); }
    ~Spoken() { puts("behind main"); }
};
static Spoken spoken;

template <typename T> static T larger(T a, T b) { return a > b ? a : b; }

int main()
{
    Shape *shape = new Square(larger(3, 4));
    printf("%d\n", shape->area());
    delete shape;
    return 0;
}
