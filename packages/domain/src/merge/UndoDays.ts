/** How many days a merge can be undone. */
export const undoDays = 30
