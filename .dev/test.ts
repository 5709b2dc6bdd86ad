/**
 * `npm test`: every check and every test, whatever fails, and at the end one line that says how many passed.
 *
 * The line is counted from vitest's own report, and each check counts as one. A test that was skipped counts as failed:
 * it proves nothing, and must not look green. Containers are exercised by `.ci/run` only, if there is an engine.
 */
import { exerciseInCi } from "./containers/ci.ts"
import { check, conclude, tests } from "./running.ts"

const counts = [await check("types"), await check("lint"), await check("unused"), await tests(".dev/vitest.config.ts")]
const ofContainers = process.env["WCS_CONTAINERS"] === "brief" ? await exerciseInCi() : "npm run containers does that"
if (typeof ofContainers === "string") console.log(`Containers were not exercised: ${ofContainers}.`)
console.log("The browser was not exercised: npm run browser does that.")
conclude(typeof ofContainers === "string" ? counts : [...counts, ...ofContainers])
