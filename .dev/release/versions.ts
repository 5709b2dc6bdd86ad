/** The places that hold the version of a release. The package.json of the workspace is the first. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** Files with a pattern whose lookbehind ends where the version begins. Each file has it once. */
const places: ReadonlyArray<readonly [file: string, version: RegExp]> = [
  ["package.json", /(?<=^ {2}"version": ")[^"]+/m],
  ["packages/deployment/src/Version.ts", /(?<=^export const version = ")[^"]+/m],
  ["apps/wcs/deploy/Dockerfile", /(?<=^ARG VERSION=)\S+/m],
  ["conformance/src/release/SuiteVersion.ts", /(?<=^export const suiteVersion = ")[^"]+/m],
  ["conformance/action.yml", /(?<=The exact version of the suite\n {4}default: ")[^"]+/],
  ["conformance/gitlab-ci.yml", /(?<=WCS_CONFORMANCE_VERSION: ")[^"]+/],
  ["conformance/README.md", /(?<=--save-exact @wcs\/conformance@)\S+/]
]

const read = (file: string): string => readFileSync(join(root, file), "utf8")

/** The version in each place; undefined if the place is not found. */
export const versionsOf = (): ReadonlyArray<readonly [file: string, version: string | undefined]> =>
  places.map(([file, pattern]) => [file, pattern.exec(read(file))?.[0]])

/** Writes a version to all places. */
export const writeVersion = (version: string): void => {
  for (const [file, pattern] of places) writeFileSync(join(root, file), read(file).replace(pattern, version))
}
