/**
 * `npm test`: runs every check and every test, also after failures, and prints one line with the number passed.
 *
 * The line is counted from vitest's reports; each check counts as one. A skipped test counts as failed, since it proves
 * nothing. Only `.ci/run` runs the container tests, if there is a container engine.
 */
import { exerciseInCi } from "./containers/ci.ts"
import { check, conclude, isAnew, packageTests, tests } from "./running.ts"

// One vitest for all packages shares imported modules, so it is faster if everything has to run.
const ofPackages = async () => (isAnew ? [await tests(".dev/vitest.config.ts")] : packageTests())

const counts = [await check("types"), await check("lint"), await check("unused"), ...(await ofPackages())]
const ofContainers = process.env["WCS_CONTAINERS"] === "brief" ? await exerciseInCi() : "npm run containers runs them"
if (typeof ofContainers === "string") console.log(`The container tests were not run: ${ofContainers}.`)
console.log("The browser tests were not run: npm run browser runs them.")
conclude(typeof ofContainers === "string" ? counts : [...counts, ...ofContainers])
