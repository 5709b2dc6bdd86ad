import { DatabaseSync } from "node:sqlite"

const isCommit = (sql: string): boolean => /^\s*COMMIT\b/i.test(sql)

/**
 * Counts all COMMITs through `node:sqlite` in this process from now on, so that group sizes are measured alike for
 * every side. Call it before any database is opened.
 */
export const countCommits = (): (() => number) => {
  let commits = 0
  const { exec, prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.exec = function (sql) {
    exec.call(this, sql)
    if (isCommit(sql)) commits++
  }
  DatabaseSync.prototype.prepare = function (sql, ...options) {
    const statement = prepare.call(this, sql, ...options)
    if (!isCommit(sql)) return statement
    const run = statement.run.bind(statement)
    return Object.assign(statement, {
      run: () => {
        const changes = run()
        commits++
        return changes
      }
    })
  }
  return () => commits
}
