import { basename } from "node:path"
import { parseAst } from "vitest/node"

/** One test of a file. */
export interface TestInFile {
  /** The source in which the test names its rules: its call, its table, and the titles around it. */
  readonly source: string
  /** Whether it tests generated input. */
  readonly isProperty: boolean
  /** The domain functions that it calls: `Ownership.decide`. */
  readonly uses: ReadonlyArray<string>
}

/** A node of the syntax tree, as far as this file needs it. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/** The declarations that code sees, by name, each with its own scope. */
type Scope = ReadonlyMap<string, { readonly node: Node; readonly scope: Scope }>

/** A test's call, with the arguments of the calls around it and the declarations that it sees. */
interface Found {
  readonly call: Node
  readonly titles: ReadonlyArray<Node>
  readonly scope: Scope
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value

/** The nodes in a field of a node: one, several or none. */
const nodesIn = (value: unknown): ReadonlyArray<Node> => [value].flat().filter(isNode)

const nameOf = (value: unknown): string | undefined =>
  isNode(value) && value.type === "Identifier" && typeof value["name"] === "string" ? value["name"] : undefined

/** The nodes in which a node uses names: not its property names. */
const childrenOf = (node: Node): ReadonlyArray<Node> =>
  Object.entries(node).flatMap(([field, value]) =>
    node["computed"] === false && (field === "property" || field === "key") ? [] : nodesIn(value)
  )

const within = (node: Node): ReadonlyArray<Node> => [node, ...childrenOf(node).flatMap(within)]

const statementsOf = (node: Node): ReadonlyArray<Node> =>
  node.type === "Program" || node.type === "BlockStatement" ? nodesIn(node["body"]) : []

/** The scope of the statements of a node. */
const scopeOf = (node: Node, outer: Scope): Scope => {
  const scope = new Map(outer)
  for (const statement of statementsOf(node)) {
    const declared = nodesIn(statement["declaration"]).at(0) ?? statement
    for (const declaration of [declared, ...nodesIn(declared["declarations"])]) {
      for (const { name } of nodesIn(declaration["id"]).flatMap(within)) {
        if (typeof name === "string") scope.set(name, { node: declaration, scope })
      }
    }
  }
  return scope
}

/** The name that a call starts with, and the members called: `it` and `each` of `it.each(rows)("…")`. */
const pathOf = (callee: unknown, members: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  if (!isNode(callee)) return members
  if (callee.type === "CallExpression") return pathOf(callee["callee"], members)
  const name = nameOf(callee.type === "MemberExpression" ? callee["property"] : callee)
  const path = [...(name === undefined ? [] : [name]), ...members]
  return callee.type === "MemberExpression" ? pathOf(callee["object"], path) : path
}

const isFunction = ({ type }: Node): boolean => type === "ArrowFunctionExpression" || type === "FunctionExpression"

const testsBelow = (node: Node, outer: Scope, titles: ReadonlyArray<Node> = []): ReadonlyArray<Found> => {
  const scope = statementsOf(node).length === 0 ? outer : scopeOf(node, outer)
  const isCall = node.type === "CallExpression"
  const [name, member] = isCall ? pathOf(node["callee"]) : []
  if (name === "it" && member !== "layer") return [{ call: node, titles, scope }]
  const around = isCall ? [...titles, ...nodesIn(node["arguments"]).filter((one) => !isFunction(one))] : titles
  return childrenOf(node).flatMap((child) => testsBelow(child, scope, around))
}

/** All nodes below a node. Each name that the file declares is replaced by its declaration. */
const unfolded = (node: Node, scope: Scope, taken = new Set<Node>()): ReadonlyArray<Node> =>
  within(node).flatMap((one) => {
    const declared = scope.get(nameOf(one) ?? "")
    if (declared === undefined) return [one]
    if (taken.has(declared.node)) return []
    taken.add(declared.node)
    return unfolded(declared.node, declared.scope, taken)
  })

/** The names that a file imports from the domain: `Ownership.decide`, or `Ownership` for the whole module. */
const domainNames = (program: Node): ReadonlyMap<string, string> =>
  new Map(
    nodesIn(program["body"]).flatMap((statement) => {
      const [source] = statement.type === "ImportDeclaration" ? nodesIn(statement["source"]) : []
      const specifier = String(source?.["value"])
      if (!specifier.startsWith("@wcs/domain/")) return []
      return nodesIn(statement["specifiers"]).map(({ imported, local }) => {
        const original = nameOf(imported)
        const module = basename(specifier)
        return [nameOf(local) ?? "", original === undefined ? module : `${module}.${original}`] as const
      })
    })
  )

const generators = new Set(["assert", "property", "asyncProperty", "check", "modelRun"])

const isGenerated = (node: Node): boolean => {
  const [name, ...members] = node.type === "MemberExpression" ? pathOf(node) : []
  return (name === "it" && members.includes("prop")) || (name === "fc" && generators.has(members[0] ?? ""))
}

/** The tests in a file's text. */
export const testsIn = (text: string): ReadonlyArray<TestInFile> => {
  const program: unknown = parseAst(text, { lang: "ts" })
  if (!isNode(program)) return []
  const imported = domainNames(program)
  const sourceOf = ({ end, start }: Node) => text.slice(start, end)
  return testsBelow(program, new Map()).map(({ call, scope, titles }) => {
    const nodes = unfolded(call, scope)
    const tables = nodesIn(call["callee"]).flatMap((callee) => unfolded(callee, scope))
    return {
      source: [...titles, ...tables, call].map(sourceOf).join("\n"),
      isProperty: nodes.some(isGenerated),
      uses: [
        ...new Set(
          nodes.flatMap((node) => {
            const [name = "", member] = node.type === "MemberExpression" ? pathOf(node) : [nameOf(node)]
            const original = imported.get(name)
            if (original === undefined) return []
            return original.includes(".") ? [original] : member === undefined ? [] : [`${original}.${member}`]
          })
        )
      ]
    }
  })
}
