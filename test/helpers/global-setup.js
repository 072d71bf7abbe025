const { ensureInputTable } = require('../../scripts/input-table.js');
const useTemporaryFolder = require('./temporary-folder.js');

/** What the constructs read and no commit holds is never older than the sources. No test leaves a temporary file. */
module.exports = async () => {
  useTemporaryFolder();
  await ensureInputTable();
};
