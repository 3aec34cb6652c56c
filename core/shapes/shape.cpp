#include "shape.hpp"
