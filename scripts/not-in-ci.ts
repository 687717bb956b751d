// Stands for `is-in-ci`, which Ink asks, in the built program: a screen is opened on a terminal only, where somebody watches.

export default false;
