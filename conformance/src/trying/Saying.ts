import { Console } from "effect"
import { folded } from "../text/LineFolding.ts"

/** Prints lines, broken between words to the width of the terminal. Not for commands, which have to be copied whole. */
export const say = (text: string) =>
  Console.log(
    text
      .split("\n")
      .map((line) => folded(line, process.stdout.columns))
      .join("\n")
  )
