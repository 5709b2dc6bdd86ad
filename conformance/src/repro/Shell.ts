/** Quotes a text as one word of a POSIX shell. NUL is not supported. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Quotes a text for a POSIX shell only if necessary. */
export const plainly = (text: string): string => (/^[\w./:@-]+$/.test(text) ? text : quote(text))

/** Returns a valid name of a shell variable. */
export const variableName = (text: string): string => text.replaceAll(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d)/, "_")

/** Returns the expansion of a part of a text, such as `$worker_1`. */
export type Expand = (part: string) => string | undefined

/** Quotes a text as one word and lets the shell expand the parts that `parts` matches. */
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

/** Formats a text as a comment of one line. */
export const comment = (text: string): string => `# ${text.replaceAll(/[\r\n]+/g, " ")}`
