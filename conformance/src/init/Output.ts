import { Console } from "effect"
import { foldedLine } from "../text/LineFolding.ts"

/** Prints lines, broken between words to the width of the terminal. Not for commands, which have to be copied whole. */
export const print = (text: string) =>
  Console.log(
    text
      .split("\n")
      .map((line) => foldedLine(line, process.stdout.columns))
      .join("\n")
  )
