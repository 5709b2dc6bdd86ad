/** Import cycles between the files of a package. */
import { dirname, join } from "node:path"
import { importsOf, type Package } from "./arrows.ts"

type Graph = ReadonlyMap<string, ReadonlyArray<string>>

/** The files that each file of a package imports from the same package. */
export const graphOf = ({ files }: Package): Graph => {
  const paths = new Set(files.map(({ path }) => path))
  const targetsOf = (path: string, specifiers: ReadonlyArray<string | undefined>) =>
    specifiers.flatMap((specifier) => {
      const target = specifier?.startsWith(".") === true ? join(dirname(path), specifier) : ""
      return paths.has(target) ? [target] : []
    })
  return new Map(files.map((file) => [file.path, targetsOf(file.path, importsOf(file))]))
}

/** Files that `from` imports, directly or indirectly. */
const reachable = (graph: Graph, from: string): ReadonlySet<string> => {
  const found = new Set<string>()
  const open = [from]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const next of graph.get(path) ?? []) {
      if (found.has(next)) continue
      found.add(next)
      open.push(next)
    }
  }
  return found
}

/** The import cycles of a package, one sentence each. Type imports count, too. */
export const circles = (pkg: Package): ReadonlyArray<string> => {
  const graph = graphOf(pkg)
  const reaches = new Map([...graph.keys()].map((path) => [path, reachable(graph, path)]))
  const circleOf = (path: string): ReadonlyArray<string> =>
    [...(reaches.get(path) ?? [])].filter((other) => reaches.get(other)?.has(path) === true).sort()
  const found = [...graph.keys()].map(circleOf).filter((circle) => circle.length > 0)
  return [...new Set(found.map((circle) => `${pkg.folder}: ${circle.join(", ")} import each other`))]
}
