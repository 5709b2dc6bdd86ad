/**
 * `npm test`: runs every check and every test, also after failures, and prints one line with the number passed.
 *
 * The line is counted from vitest's report; each check counts as one. A skipped test counts as failed, since it proves
 * nothing. Containers are exercised by `.ci/run` only, if there is an engine.
 */
import { exerciseInCi } from "./containers/ci.ts"
import { check, conclude, tests } from "./running.ts"

const counts = [await check("types"), await check("lint"), await check("unused"), await tests(".dev/vitest.config.ts")]
const ofContainers = process.env["WCS_CONTAINERS"] === "brief" ? await exerciseInCi() : "npm run containers does that"
if (typeof ofContainers === "string") console.log(`Containers were not exercised: ${ofContainers}.`)
console.log("The browser was not exercised: npm run browser does that.")
conclude(typeof ofContainers === "string" ? counts : [...counts, ...ofContainers])
