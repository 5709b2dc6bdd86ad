/** Writes the change log from the subjects of commits, which are `area: summary`. */

export interface Commit {
  readonly area: string
  readonly summary: string
}

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
export const read = (subject: string): Commit | undefined => {
  const [, areas = "", summary = ""] = /^([a-z0-9.-]+(?:(?:, | )[a-z0-9.-]+)*): (.+)$/.exec(subject) ?? []
  const area = areas.split(", ").find((name) => name !== "" && !internal.has(name))
  return area === undefined ? undefined : { area, summary }
}

/** The section of a version, with the changes of each heading by area. Equal changes are listed once. */
export const sectionOf = (version: string, date: string, subjects: ReadonlyArray<string>): string => {
  const commits = subjects.flatMap((subject) => read(subject) ?? [])
  const byHeading = Map.groupBy(commits, ({ area }) => headingOf(area))
  const parts = headings.flatMap(([heading]) => {
    const lines = (byHeading.get(heading) ?? [])
      .toSorted((one, other) => one.area.localeCompare(other.area, "en"))
      .map(({ area, summary }) => `- ${area}: ${summary}`)
    return lines.length === 0 ? [] : [`### ${heading}\n\n${[...new Set(lines)].join("\n")}`]
  })
  return [`## ${version} (${date})`, ...parts].join("\n\n")
}

const introduction = `# Changes

The changes of each release, from the subjects of its commits. Commits without an area, and changes of tests, benchmarks
and development tools, are not listed. [COMPATIBILITY.md](COMPATIBILITY.md) says what a release may change.
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
