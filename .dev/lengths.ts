/** The check of the lengths of functions. */
import { parseAst } from "vitest/node"
import type { SourceFile } from "./arrows.ts"

/** The maximum number of lines of a function. */
export const linesMax = 100

/** A node of the syntax tree, as far as this file needs it. */
interface Node {
  readonly type?: string
  readonly start?: number
  readonly end?: number
  readonly id?: { readonly name?: string } | null
}

/** The parts of an expression through which `make` is still the same function: `make = (a) => Effect.gen(function* …)`. */
const through = ["ArrowFunctionExpression", "CallExpression", "MemberExpression"]

/**
 * The functions of a file that are too long. The limit does not apply to the `make` of a service: its methods are local
 * functions, which share the ports of the service, and each of them is checked. The linter has no such exception.
 */
export const tooLong = ({ path, text }: SourceFile): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visit = (value: unknown, isMake: boolean): void => {
    if (typeof value !== "object" || value === null) return
    const { end = 0, id, start = 0, type = "" }: Node = value
    const lines = text.slice(start, end).split("\n").length
    if (type.includes("Function") && !isMake && lines > linesMax) found.push(`${path}: a function of ${lines} lines`)
    const isDeclared = type === "VariableDeclarator" && id?.name === "make"
    const isStill = isMake && (Array.isArray(value) || through.includes(type))
    for (const child of Object.values(value)) visit(child, isDeclared || isStill)
  }
  visit(parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts" }), false)
  return found
}
