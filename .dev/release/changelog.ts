/** Writes the change log from commits, whose subjects are `area: summary`. */

export interface Commit {
  readonly subject: string
  /** The paths of the changed files. */
  readonly paths: ReadonlyArray<string>
}

/** The part of a subject that users see. */
interface Change {
  readonly area: string
  readonly summary: string
}

/** Files that are in a package or an image, or that operators copy. Other files change nothing for users. */
const shipped = [
  /^(apps|packages)\/(?!(bench|specimens|contract-suite|store-suite|postgres-engine)\/)[^/]+\/src\//,
  /^apps\/wcs\/(start\.mjs$|deploy\/)/,
  /^conformance\/(src\/|Dockerfile$|action\.yml$|gitlab-ci\.yml$|\w+\.schema\.json$)/,
  /^\.dev\/pack\//,
  /^pnpm-(lock|workspace)\.yaml$/
]

const isShipped = ({ paths }: Commit): boolean => paths.some((path) => shipped.some((form) => form.test(path)))

/** Areas that users of a release do not see. */
const internal = new Set([
  ...[".dev", "all", "bench", "browser", "demo", "dev", "docs", "faults"],
  ...["packages", "readme", "release", "specimens", "tests"],
  ...["contract-suite", "postgres-engine", "store-suite", "workspace"]
])

/** The headings of a section. The service has all areas that no other heading has. */
const headings: ReadonlyArray<readonly [heading: string, areas: ReadonlyArray<string> | undefined]> = [
  ["Service", undefined],
  ["Console", ["console"]],
  ["Conformance suite", ["conformance"]],
  ["Client and receiver", ["client", "receiver"]],
  ["Packages and images", ["containers", "deps", "pack", "start"]]
]

const headingOf = (area: string): string =>
  headings.find(([, areas]) => areas?.includes(area) === true)?.[0] ?? "Service"

/**
 * Reads the subject of a commit. Returns undefined if it has no area, or only internal ones: of `wcs, bench` it is `wcs`.
 */
export const read = (subject: string): Change | undefined => {
  const [, areas = "", summary = ""] = /^([a-z0-9.-]+(?:(?:, | )[a-z0-9.-]+)*): (.+)$/.exec(subject) ?? []
  const area = areas.split(", ").find((name) => name !== "" && !internal.has(name))
  return area === undefined ? undefined : { area, summary }
}

/** The section of a version, with the changes of each heading by area. Equal changes are listed once. */
export const sectionOf = (version: string, date: string, commits: ReadonlyArray<Commit>): string => {
  const changes = commits.filter(isShipped).flatMap(({ subject }) => read(subject) ?? [])
  const byHeading = Map.groupBy(changes, ({ area }) => headingOf(area))
  const parts = headings.flatMap(([heading]) => {
    const lines = (byHeading.get(heading) ?? [])
      .toSorted((one, other) => one.area.localeCompare(other.area, "en"))
      .map(({ area, summary }) => `- ${area}: ${summary}`)
    return lines.length === 0 ? [] : [`### ${heading}\n\n${[...new Set(lines)].join("\n")}`]
  })
  return [`## ${version} (${date})`, ...parts].join("\n\n")
}

const introduction = `# Changes

The changes of each release, from the subjects of its commits. Commits without an area, and changes of tests, documents,
benchmarks and development tools, are not listed. [COMPATIBILITY.md](COMPATIBILITY.md) says what a release may change.
\`npm run release\` writes this file.`

/** The versions of a change log, latest first. */
export const versionsIn = (log: string): ReadonlyArray<string> =>
  Array.from(log.matchAll(/^## (\S+) \(/gm), ([, version = ""]) => version)

/** A change log with this section first. Replaces the section of the same version. */
export const withSection = (log: string, section: string): string => {
  const [version] = versionsIn(section)
  const others = log.split(/^(?=## )/m).filter((part) => part.startsWith("## ") && versionsIn(part)[0] !== version)
  return [introduction, section, ...others.map((part) => part.trim())].join("\n\n").concat("\n")
}
