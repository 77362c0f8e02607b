// The headers of //:public_headers.bzl compile, each alone: that this test has been built is the test.
int main() { return 0; }
