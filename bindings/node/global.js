// node --require @halo/webnn/global program.js: navigator.ml and the interfaces are there as in a browser.
'use strict';

require('./lib/install.js').install();
