const { ensureInputTable } = require('../../scripts/input-table.js');

/** What the constructs read and no commit holds: never older than the sources. */
module.exports = ensureInputTable;
