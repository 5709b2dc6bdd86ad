/** How many days a merge of two workers can be undone. No retention ends before. */
export const undoDays = 30
