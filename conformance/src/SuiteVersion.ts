/** The version of this suite, as its package says it. */
export const suiteVersion = "0.1.0"
