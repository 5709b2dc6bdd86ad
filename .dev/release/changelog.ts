/**
 * Reads the change log, which people write: at most ten sentences a release. Lists the changes of commits, whose
 * subjects are `area: summary`, for the writer of the next section.
 */

export interface Commit {
  readonly subject: string
  /** The paths of the changed files. */
  readonly paths: ReadonlyArray<string>
}

/** Files that are in a package or an image, or that operators copy. Other files change nothing for users. */
const shipped = [
  /^(apps|packages)\/(?!(bench|end-to-end|store-suite)\/)[^/]+\/src\//,
  /^apps\/wcs\/(start\.mjs$|deploy\/)/,
  /^conformance\/(src\/|Dockerfile$|action\.yml$|gitlab-ci\.yml$)/,
  /^\.dev\/pack\//,
  /^pnpm-(lock|workspace)\.yaml$/
]

const isShipped = ({ paths }: Commit): boolean => paths.some((path) => shipped.some((form) => form.test(path)))

/** The subjects of commits that change a shipped file, by area, without those of merges. */
export const changesIn = (commits: ReadonlyArray<Commit>): ReadonlyArray<string> => {
  const subjects = commits.filter(isShipped).map(({ subject }) => subject)
  return [...new Set(subjects.filter((subject) => /^[a-z0-9.,\- ]+: ./.test(subject)))].toSorted()
}

/** A section of the change log: the text below a heading such as `## 1.2.0 (2026-01-02)`. */
interface Section {
  readonly version: string
  readonly text: string
}

/** The sections of a change log, latest first. */
export const sectionsOf = (log: string): ReadonlyArray<Section> =>
  log.split(/^(?=## )/m).flatMap((part) => {
    const [, version] = /^## (\S+) \(/.exec(part) ?? []
    return version === undefined ? [] : [{ version, text: part.replace(/^.*/, "").trim() }]
  })

/** The sentences of a section: its list items. */
export const sentencesIn = ({ text }: Section): ReadonlyArray<string> =>
  text
    .split(/^- /m)
    .slice(1)
    .map((item) => item.replaceAll(/\s+/g, " ").trim())

/** The log with an empty section of the version before the others, if it has none. */
export const withSection = (log: string, version: string, date: string): string =>
  sectionsOf(log).some((section) => section.version === version)
    ? log
    : log.replace(/^(?=## )/m, `## ${version} (${date})\n\n`)
