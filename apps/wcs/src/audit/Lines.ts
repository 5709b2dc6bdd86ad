/** The lines of a text. Fails if one is too long, so that a foreign file does not fill the memory. */
export async function* linesOf(chunks: AsyncIterable<string>, lineMax: number): AsyncGenerator<string> {
  let rest = ""
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    if (rest.length > lineMax) throw new Error("a line is too long")
    yield* lines
  }
  if (rest !== "") yield rest
}
