/** The maximum size of a command. */
export const commandBytesMax = 1024 * 1024
