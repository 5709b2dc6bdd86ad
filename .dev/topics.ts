/** The order of the topics of a package, and the check of its imports against the order. A topic is a folder of `src`. */
import type { Package } from "./arrows.ts"
import { graphOf } from "./circles.ts"

/**
 * The topics of each ordered package, the lowest first. A topic imports from itself and from lower topics only, so the
 * code can be read in this order. `.` has the files of `src` itself.
 */
export const topics: Readonly<Record<string, ReadonlyArray<string>>> = {
  "packages/domain": [
    ...["shared", "access", "ownership", "resource", "event", "audit", "people", "holding", "crud"],
    ...["session", "token", "user", "second-factor", "single-sign-on", "authentication", "login"],
    ...[
      "document",
      "watch",
      "screening",
      "erasure",
      "lease",
      "webhook",
      "verification",
      "schedule",
      "credential",
      "merge",
      "proof",
      "import",
      "note",
      "message",
      "answer"
    ],
    ...["legacy", "service"]
  ],
  conformance: [
    ...["text", "catalogue", "release", "profile", "wire", "network", "judgement", "evidence", "places", "calls"],
    ...["exchanges", "walks", "engine", "report", "repro", "formats", "commands", "init", "."]
  ],
  "conformance/specimen": ["server", "faults", "choices", "target", "selftest", "."]
}

/** The topic of a file: `ownership` for `src/ownership/Ownership.ts`. */
const topicOf = (path: string): string => /^src\/([^/]+)\//.exec(path)?.[1] ?? "."

/** The topics without a place, the places without a topic and the imports of higher topics, one sentence each. */
export const upward = (pkg: Package, order: ReadonlyArray<string>): ReadonlyArray<string> => {
  const graph = [...graphOf(pkg)].filter(([path]) => path.startsWith("src/"))
  const present = [...new Set(graph.map(([path]) => topicOf(path)))]
  const places = new Map(order.map((topic, index) => [topic, index]))
  const placeOf = (path: string) => places.get(topicOf(path)) ?? Number.NaN
  return [
    ...present.filter((topic) => !places.has(topic)).map((topic) => `${topic} has no place in the order`),
    ...order.filter((topic) => !present.includes(topic)).map((topic) => `${topic} has no files`),
    ...graph.flatMap(([path, targets]) =>
      targets.filter((target) => placeOf(target) > placeOf(path)).map((target) => `${path} may not import ${target}`)
    )
  ].map((what) => `${pkg.folder}: ${what}`)
}
