/** A text as one word of a POSIX shell, whatever it holds but NUL. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A text as one word of a POSIX shell, for people: as it stands wherever no shell reads anything into it. */
export const plainly = (text: string): string => (/^[\w./:@-]+$/.test(text) ? text : quote(text))

/** A name that a shell variable can have. */
export const variableName = (text: string): string => text.replaceAll(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d)/, "_")

/** What stands for a part of a text: what it is expanded from, such as `$worker_1`. */
export type Expand = (part: string) => string | undefined

/**
 * A text as one word in which some parts, those that `parts` finds, are expanded by the shell; everything else stands
 * as it is.
 */
export const word = (text: string, parts: RegExp, expand: Expand): string => {
  const pieces: Array<string> = []
  let done = 0
  for (const match of text.matchAll(parts)) {
    const expansion = expand(match[0])
    if (expansion === undefined) continue
    if (match.index > done) pieces.push(quote(text.slice(done, match.index)))
    pieces.push(`"${expansion}"`)
    done = match.index + match[0].length
  }
  if (done < text.length || pieces.length === 0) pieces.push(quote(text.slice(done)))
  return pieces.join("")
}

/** A text in one line of a comment. */
export const comment = (text: string): string => `# ${text.replaceAll(/[\r\n]+/g, " ")}`
