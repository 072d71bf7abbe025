// A role that the stack has just made may not count yet.
exports.permitted = async (call) => {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!error.name.startsWith('AccessDenied') || attempt === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
};
