const isApart = (char: string | undefined): boolean => char === undefined || !/[\w-]/.test(char)

/** Whether a text contains a word as a whole: `wkr_1` is not in `wkr_12`. */
export const hasWord = (text: string, word: string): boolean => {
  if (word === "") return false
  for (let start = text.indexOf(word); start !== -1; start = text.indexOf(word, start + 1)) {
    if (isApart(text[start - 1]) && isApart(text[start + word.length])) return true
  }
  return false
}
