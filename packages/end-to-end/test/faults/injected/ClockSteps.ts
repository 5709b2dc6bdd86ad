// Loaded into a process before its own modules. Moves the wall clock of the process ahead or back by the milliseconds in
// the file that the environment variable `WCS_FAULT_CLOCK` names. Timers keep their pace, as on a machine.
import { readFileSync } from "node:fs"

const file = process.env["WCS_FAULT_CLOCK"] ?? ""
const machineNow = Date.now

Date.now = () => machineNow() + Number(readFileSync(file, "utf8"))
