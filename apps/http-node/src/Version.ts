/** The version of this program. */
export const version = "0.0.0"
