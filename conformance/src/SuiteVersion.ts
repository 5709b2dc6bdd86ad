/** The version of this suite, the same as in its package.json. */
export const suiteVersion = "0.1.0"
