/** The version in this suite's package.json. */
export const suiteVersion = "0.1.0"
